/** Backing up a folder of SQLite files while it is in use, verifying a backup, and restoring it. */

import { randomUUID } from 'node:crypto';
import { readdirSync, statSync } from 'node:fs';
import { chmod, copyFile, mkdir, open, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { setImmediate as breath } from 'node:timers/promises';
import { z } from 'zod';
import {
  BACKUP_FORMAT,
  BACKUP_VERSION,
  backupManifestSchema,
  type BackupFile,
  type BackupManifest,
} from '../domain/backup.ts';
import { LaminaError } from '../domain/error.ts';
import { contentsOf, copySqliteFile, damageOf, isTenantFile } from '../engines/sqlite/sqlite-backup.ts';
import { isThere, namesIn } from '../engines/sqlite/sqlite-presence.ts';
import { makeFolder } from '../engines/sql/make-folder.ts';
import { sha256OfFile } from './file-hash.ts';
import { packageVersion } from './package-version.ts';

const MANIFEST = 'manifest.json';

const ANOTHER_COPY = 'Take another copy of it.';

/** The suffix of what is being written, beside its final place. */
const PARTIAL = /\.[0-9a-f]{8}\.partial$/;

const FOLDER_MODE = 0o700;
const FILE_MODE = 0o600;

export interface BackupOptions {
  readonly signal: AbortSignal;
  /** Called for each finished file. */
  readonly progress?: ((done: number, total: number, name: string) => void) | undefined;
  /** Called with a sentence about stray files. */
  readonly note?: ((text: string) => void) | undefined;
}

/**
 * The files of `source` in a new folder `target`, each of one moment. It appears when it is complete and flushed. Throws
 * `VALIDATION_FAILED` for a target that has something in it or lies in the source, `NOT_FOUND` for a source without files, the signal's reason.
 */
export async function backUp(source: string, target: string, options: BackupOptions): Promise<BackupManifest> {
  const names = filesOf(source);
  if (names.length === 0) {
    throw new LaminaError('NOT_FOUND', `There is nothing to back up: no memory lies in "${resolve(source)}".`);
  }
  assertOutside(source, target);
  return inNewFolder(target, options, async (folder) => {
    const startedAt = new Date().toISOString();
    const files: BackupFile[] = [];
    for (const [index, name] of names.entries()) {
      await breath();
      options.signal.throwIfAborted();
      const at = new Date().toISOString();
      // A tenant that was erased meanwhile is not included.
      if (copySqliteFile(join(source, name), join(folder, name))) files.push(await described(folder, name, at));
      options.progress?.(index + 1, names.length, name);
    }
    const manifest: BackupManifest = {
      format: BACKUP_FORMAT,
      version: BACKUP_VERSION,
      laminaVersion: await packageVersion(),
      startedAt,
      completedAt: new Date().toISOString(),
      files,
    };
    await writeFile(join(folder, MANIFEST), `${JSON.stringify(manifest, null, 2)}\n`, { mode: FILE_MODE, flush: true });
    return manifest;
  });
}

/** What was verified. Throws `NOT_FOUND` where it is no backup, `VALIDATION_FAILED` with what is wrong with it. */
export async function verifyBackup(folder: string, { signal, progress, note }: BackupOptions): Promise<BackupManifest> {
  const manifest = await manifestIn(folder);
  for (const [index, file] of manifest.files.entries()) {
    await breath();
    signal.throwIfAborted();
    const path = join(folder, file.name);
    await assertSame(path, file);
    assertSound(path, file);
    progress?.(index + 1, manifest.files.length, file.name);
  }
  for (const name of strangersIn(folder, manifest)) note?.(`${name} is no part of the backup, and is not restored.`);
  return manifest;
}

/** Verifies the backup, copies it, and compares the copy. Throws as {@link verifyBackup} and {@link backUp} do. */
export async function restore(folder: string, target: string, options: BackupOptions): Promise<BackupManifest> {
  const manifest = await verifyBackup(folder, { signal: options.signal, note: options.note });
  return inNewFolder(target, options, async (restored) => {
    for (const [index, file] of manifest.files.entries()) {
      options.signal.throwIfAborted();
      const path = join(restored, file.name);
      await copyFile(join(folder, file.name), path);
      await chmod(path, FILE_MODE);
      await flushed(path);
      await assertSame(path, file);
      options.progress?.(index + 1, manifest.files.length, file.name);
    }
    return manifest;
  });
}

function filesOf(source: string): string[] {
  const names = namesIn(join(source, 'tenants')).filter(isTenantFile).toSorted();
  // What outlives tenants comes last: then it has the receipts of those that were erased meanwhile.
  return [...names.map((name) => `tenants/${name}`), ...(isThere(join(source, 'system.db')) ? ['system.db'] : [])];
}

async function described(folder: string, name: string, at: string): Promise<BackupFile> {
  const path = join(folder, name);
  await flushed(path);
  return { name, bytes: statSync(path).size, sha256: await sha256OfFile(path), at, ...contentsOf(path) };
}

async function assertSame(path: string, { name, bytes, sha256 }: BackupFile): Promise<void> {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) throw broken(name, 'is missing');
  if (found.size !== bytes) throw broken(name, `has ${found.size} bytes, and should have ${bytes}`);
  if ((await sha256OfFile(path)) !== sha256) throw broken(name, 'is not as it was written: its checksum differs');
}

function assertSound(path: string, file: BackupFile): void {
  const [damage] = damageOf(path);
  if (damage !== undefined) throw broken(file.name, `is damaged: ${damage}`);
  const { schema, rows } = contentsOf(path);
  const isCounted = schema === file.schema && JSON.stringify(rows) === JSON.stringify(file.rows);
  if (!isCounted) throw broken(file.name, 'has other rows than the manifest says');
}

function strangersIn(folder: string, { files }: BackupManifest): string[] {
  const known = new Set([MANIFEST, 'tenants', ...files.map(({ name }) => name)]);
  const found = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => name.replaceAll(sep, '/'));
  return found.filter((name) => !known.has(name)).toSorted();
}

async function manifestIn(folder: string): Promise<BackupManifest> {
  const path = join(folder, MANIFEST);
  if (!isThere(path)) throw new LaminaError('NOT_FOUND', `"${folder}" is no backup: there is no ${MANIFEST} in it.`);
  const text = await readFile(path, 'utf8');
  try {
    return backupManifestSchema.parse(JSON.parse(text));
  } catch (error) {
    throw damaged(`The ${MANIFEST} of the backup cannot be read${placeOf(error)}.`);
  }
}

/** Where in the manifest, and what is wrong there. */
function placeOf(error: unknown): string {
  const [issue] = error instanceof z.ZodError ? error.issues : [];
  return issue === undefined ? '' : `: ${issue.path.join('.') || 'all of it'}: ${issue.message}`;
}

function broken(name: string, what: string): LaminaError {
  return damaged(`The backup is broken: ${name} ${what}.`);
}

/** As a damaged bundle is. */
function damaged(message: string): LaminaError {
  return new LaminaError('VALIDATION_FAILED', `${message} ${ANOTHER_COPY}`, {
    advice: ANOTHER_COPY,
    details: { damaged: true },
  });
}

/** Written beside its place, and moved there when complete: all or nothing. */
async function inNewFolder<T>(
  target: string,
  { signal, note }: BackupOptions,
  fill: (folder: string) => Promise<T>,
): Promise<T> {
  const place = resolve(target);
  assertFree(place);
  makeFolder(dirname(place), FOLDER_MODE);
  for (const path of unfinishedAt(place)) note?.(`${path} was never finished. Remove it, unless it is being made now.`);
  const partial = `${place}.${randomUUID().slice(0, 8)}.partial`;
  try {
    await mkdir(partial, { mode: FOLDER_MODE });
    await mkdir(join(partial, 'tenants'), { mode: FOLDER_MODE });
    const value = await fill(partial);
    for (const folder of [join(partial, 'tenants'), partial]) await flushed(folder);
    assertFree(place);
    // Over an empty folder too.
    await rename(partial, place);
    await flushed(dirname(place));
    return value;
  } catch (error) {
    await rm(partial, { recursive: true, force: true });
    signal.throwIfAborted();
    throw error;
  }
}

/** Left behind by a killed process. */
function unfinishedAt(place: string): string[] {
  return namesIn(dirname(place))
    .filter((name) => PARTIAL.test(name) && name.replace(PARTIAL, '') === basename(place))
    .map((name) => join(dirname(place), name));
}

/** What lies in the folder itself is lost with it. */
function assertOutside(source: string, target: string): void {
  const [from, to] = [resolve(source), resolve(target)];
  if (to !== from && !to.startsWith(`${from}${sep}`)) return;
  throw new LaminaError(
    'VALIDATION_FAILED',
    `"${to}" lies in the data folder itself, and would be lost with it. Name a folder elsewhere.`,
  );
}

function assertFree(place: string): void {
  if (!isThere(place)) return;
  if (statSync(place).isDirectory() && readdirSync(place).length === 0) return;
  throw new LaminaError(
    'VALIDATION_FAILED',
    `There is something in "${place}" already, and nothing is overwritten. Name a folder that does not exist.`,
  );
}

async function flushed(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
