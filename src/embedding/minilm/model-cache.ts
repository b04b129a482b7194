/** Keeps converted models in a folder, so that converting is done once per machine. */

import { createHash, hash, randomUUID } from 'node:crypto';
import { access, constants, mkdir, open, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';

const DIGEST_BYTES = 32;

/** How much of a file is looked at, and how often. */
const SAMPLE_BYTES = 4096;
const SAMPLE_EVERY = 1 << 20;

/**
 * Where a user's caches go: `$XDG_CACHE_HOME/lamina` or `~/.cache/lamina`, on Windows in `%LOCALAPPDATA%`. Undefined
 * where there is no such place.
 */
export function defaultCacheFolder(
  env: NodeJS.ProcessEnv = process.env,
  platform: NodeJS.Platform = process.platform,
): string | undefined {
  const named = platform === 'win32' ? env['LOCALAPPDATA'] : env['XDG_CACHE_HOME'];
  if (named !== undefined && isAbsolute(named)) return join(named, 'lamina');
  try {
    return join(homedir(), '.cache', 'lamina');
  } catch {
    // A user without a home, as in some containers.
    return undefined;
  }
}

/** Tells one file from another by its size and a piece of every megabyte, in a millisecond. */
export async function fingerprintOf(path: string): Promise<string> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    const digest = createHash('sha256').update(String(size));
    for (let at = 0; at < size; at += SAMPLE_EVERY) {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(SAMPLE_BYTES), 0, SAMPLE_BYTES, at);
      digest.update(buffer.subarray(0, bytesRead));
    }
    return digest.digest('hex').slice(0, 16);
  } finally {
    await file.close();
  }
}

/** What is stored under `name`, or undefined where it is absent, damaged or cannot be read. */
export async function readCached(folder: string, name: string): Promise<Uint8Array | undefined> {
  try {
    const stored = await readFile(join(folder, name));
    const content = stored.subarray(DIGEST_BYTES);
    const isWhole = hash('sha256', content, 'buffer').equals(stored.subarray(0, DIGEST_BYTES));
    return isWhole ? content : undefined;
  } catch {
    return undefined;
  }
}

/** Whether something can be stored in the folder, which is made if need be. */
export async function canWrite(folder: string): Promise<boolean> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await access(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** Whole or not at all, also when several processes do it at once. Nothing is stored where that is not possible. */
export async function writeCached(folder: string, name: string, content: Uint8Array): Promise<void> {
  const draft = join(folder, `${name}.${randomUUID()}`);
  try {
    await writeFile(draft, [hash('sha256', content, 'buffer'), content], { mode: 0o600 });
    await rename(draft, join(folder, name));
  } catch {
    await rm(draft, { force: true }).catch(() => undefined);
  }
}
