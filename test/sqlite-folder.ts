/** A data folder for a test of the SQLite engine, and what lies in it. */

import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export function makeFolder(): Promise<string> {
  return mkdtemp(join(tmpdir(), 'lamina-sqlite-'));
}

export function removeFolder(folder: string): Promise<void> {
  return rm(folder, { recursive: true, force: true });
}

/** Paths of all files below the folder. */
export async function filesIn(folder: string): Promise<string[]> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true });
  return found.filter((each) => each.isFile()).map((each) => join(each.parentPath, each.name));
}

/** Those of the traces that can be read in the bytes of any file. */
export async function tracesIn(folder: string, traces: readonly Uint8Array[]): Promise<Uint8Array[]> {
  const contents = await Promise.all((await filesIn(folder)).map((file) => readFile(file)));
  return traces.filter((trace) => contents.some((bytes) => bytes.includes(Buffer.from(trace))));
}
