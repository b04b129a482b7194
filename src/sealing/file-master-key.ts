/** Master keys in files. The first of a file wraps, the others are former ones that can still unwrap. */

import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto';
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { LaminaError } from '../domain/error.ts';
import type { MasterKey, WrapContext } from '../ports/master-key.ts';

const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Of the key: it says which one it is and nothing else of it. */
function idOf(key: Uint8Array): string {
  return `file:${createHash('sha256').update('lamina master key ').update(key).digest('hex').slice(0, 16)}`;
}

/**
 * Of a file: each line holds 32 bytes in base64, or it is 32 bytes. Of a folder: each tenant has such a file in it, which is
 * made with its first memory and deleted when it is erased. Throws `CONFIGURATION_ERROR`, also where others than its owner can
 * read it.
 */
export function fileMasterKey(path: string): MasterKey {
  return isFolder(path) ? folderMasterKey(path) : masterKeyIn(path);
}

function masterKeyIn(path: string): MasterKey {
  const keys = readKeys(path);
  const [current] = keys;
  if (current === undefined) throw unusable(path, 'holds no key');
  const byId = new Map(keys.map((key) => [idOf(key), key]));
  return {
    idFor: () => idOf(current),
    wrap: (key, context) => wrapped(current, key, context),
    unwrap: (bytes, { masterId, ...context }) => {
      const master = byId.get(masterId);
      if (master === undefined) throw unknown(path, masterId);
      return unwrapped(master, bytes, context);
    },
  };
}

/** Tenants are few to a process at a time, and are asked for seldom: each file is read when it is needed. */
function folderMasterKey(folder: string): MasterKey {
  if (isOpenToOthers(folder)) {
    throw unusable(folder, 'is a folder that others can enter: let only its owner enter it (chmod 700)');
  }
  const fileOf = (tenantId: string): string => join(folder, `${tenantId}.key`);
  const made = (tenantId: string): MasterKey => {
    if (!existsSync(fileOf(tenantId))) createUnlessThere(fileOf(tenantId));
    return masterKeyIn(fileOf(tenantId));
  };
  return {
    idFor: (tenantId) => made(tenantId).idFor(tenantId),
    wrap: (key, context) => made(context.tenantId).wrap(key, context),
    unwrap: (bytes, context) => masterKeyIn(fileOf(context.tenantId)).unwrap(bytes, context),
    forget: (tenantId) => rmSync(fileOf(tenantId), { force: true }),
  };
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

function isOpenToOthers(path: string): boolean {
  return isOpen(statSync(path), process.getuid?.());
}

/**
 * For `user` (undefined on a system that has no such modes). What belongs to root may be read by a group: that is how an
 * orchestrator hands a secret to a process that is not root.
 */
export function isOpen(
  { mode, uid }: { readonly mode: number; readonly uid: number },
  user: number | undefined,
): boolean {
  if (user === undefined) return false;
  const isHanded = uid === 0 && user !== 0 && (mode & 0o170000) === 0o100000;
  return (mode & (isHanded ? 0o037 : 0o077)) !== 0;
}

/** Another process may have been quicker. */
function createUnlessThere(file: string): void {
  try {
    createKeyFile(file);
  } catch (error) {
    if (!existsSync(file)) throw error;
  }
}

/** Makes a file with a new key, or puts a new one before those that are there. Gives back the id of the new key. */
export function createKeyFile(path: string, { isAdded = false }: { readonly isAdded?: boolean } = {}): string {
  if (isFolder(path)) {
    throw unusable(
      path,
      `is a folder, where each tenant has a file of its own: name one, such as ${join(path, 'TENANT.key')}`,
    );
  }
  const former = isAdded ? readKeys(path) : [];
  const key = randomBytes(KEY_BYTES);
  const lines = [key, ...former].map((each) => `${Buffer.from(each).toString('base64')}\n`).join('');
  try {
    writeFileSync(path, lines, { mode: 0o600, flag: isAdded ? 'w' : 'wx' });
  } catch (error) {
    const isThere = (error as NodeJS.ErrnoException).code === 'EEXIST';
    throw unusable(
      path,
      isThere ? 'is there already, and a key that is in use must not be lost' : 'cannot be written',
      error,
    );
  }
  return idOf(key);
}

function readKeys(path: string): Uint8Array[] {
  let bytes: Buffer;
  try {
    if (isOpenToOthers(path)) throw unusable(path, 'can be read by others: let only its owner read it (chmod 600)');
    bytes = readFileSync(path);
  } catch (error) {
    if (error instanceof LaminaError) throw error;
    const isAbsent = (error as NodeJS.ErrnoException).code === 'ENOENT';
    throw unusable(path, isAbsent ? `cannot be read: ${absent(path)}` : 'cannot be read', error);
  }
  if (bytes.length === KEY_BYTES) return [bytes];
  const lines = bytes
    .toString('utf8')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  return lines.map((line) => {
    const key = Buffer.from(line, 'base64');
    if (key.length !== KEY_BYTES) throw unusable(path, 'must hold 32 bytes in base64 on each line');
    return key;
  });
}

function absent(path: string): string {
  return `there is no such file. Put it back there; or, where nothing was sealed yet, make one: lamina encryption create-key ${path}`;
}

/** A key of its own for each data key, so that no nonce is ever used twice with one. */
function keyFor(master: Uint8Array, { tenantId, keyId }: WrapContext): Buffer {
  return Buffer.from(hkdfSync('sha256', master, tenantId, `lamina wrap ${keyId}`, KEY_BYTES));
}

function wrapped(master: Uint8Array, key: Uint8Array, context: WrapContext): Uint8Array {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', keyFor(master, context), nonce);
  const sealed = Buffer.concat([cipher.update(key), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed]);
}

function unwrapped(master: Uint8Array, bytes: Uint8Array, context: WrapContext): Uint8Array {
  const nonce = bytes.subarray(0, NONCE_BYTES);
  const decipher = createDecipheriv('aes-256-gcm', keyFor(master, context), nonce, { authTagLength: TAG_BYTES });
  decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
  return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]);
}

function unusable(path: string, why: string, cause?: unknown): LaminaError {
  return new LaminaError('CONFIGURATION_ERROR', `The master key, ${path}, ${why}.`, { cause });
}

function unknown(path: string, masterId: string): LaminaError {
  return new LaminaError(
    'CONFIGURATION_ERROR',
    `The data keys are wrapped by the master key ${masterId}, which is not in ${path}. Put it back there, on a line of its own.`,
  );
}
