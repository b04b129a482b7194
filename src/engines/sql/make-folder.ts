/** Makes a folder, and those above it that are missing. */

import { mkdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/**
 * One by one: where a file system says of a new folder that there is no such thing, as /proc does, `mkdir` with `recursive`
 * goes round for ever (Node 20 to 24). Throws what the file system says.
 */
export function makeFolder(path: string, mode?: number): void {
  const folder = resolve(path);
  if (isFolder(folder)) return;
  if (dirname(folder) !== folder) makeFolder(dirname(folder), mode);
  try {
    mkdirSync(folder, { mode });
  } catch (error) {
    // Somebody else may have made it just now.
    if (!isFolder(folder)) throw error;
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
