/** Text that is sealed: AES-256-GCM, with the id of its key, bound to where it lies. */

import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { unreadable } from '../domain/closed-entry.ts';
import { LaminaError } from '../domain/error.ts';

const ALGORITHM = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** The form and its version, the id of the key; then nonce, tag and ciphertext. */
const SEALED = /^lam1:([0-9a-f]{16}):[\w-]+$/;
const PREFIX_LENGTH = 'lam1::'.length + 16;

/** The id of the key that it is sealed with; undefined for what is not sealed. */
export function keyIdOf(text: string): string | undefined {
  return text.startsWith('lam1:') ? SEALED.exec(text)?.[1] : undefined;
}

/** `place` is authenticated: what was sealed for another one cannot be opened there. */
export function seal(key: Uint8Array, keyId: string, text: string, place: string): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(ALGORITHM, key, nonce).setAAD(Buffer.from(place));
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return `lam1:${keyId}:${Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64url')}`;
}

/** Throws `PROVIDER_ERROR` for what was altered, or moved from another place. */
export function open(key: Uint8Array, sealed: string, place: string): string {
  const bytes = Buffer.from(sealed.slice(PREFIX_LENGTH), 'base64url');
  try {
    const decipher = createDecipheriv(ALGORITHM, key, bytes.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES });
    decipher.setAAD(Buffer.from(place)).setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
    return decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES), undefined, 'utf8') + decipher.final('utf8');
  } catch (error) {
    throw altered(error);
  }
}

export function altered(cause?: unknown): LaminaError {
  return new LaminaError(
    'PROVIDER_ERROR',
    'Something that is sealed was altered beside Lamina, and cannot be opened. Restore it from a backup.',
    { details: { permanent: true }, cause },
  );
}

/** Undefined for what cannot be opened. */
export function openedOrNone<T>(opening: () => T): T | undefined {
  try {
    return opening();
  } catch (error) {
    if (error instanceof LaminaError) return undefined;
    throw error;
  }
}

/** Throws an error that names it for what cannot be opened. */
export function openedOrNamed<T>(what: string, id: string, opening: () => T): T {
  try {
    return opening();
  } catch (error) {
    throw error instanceof LaminaError ? unreadable(what, id, error) : error;
  }
}

/** How many bytes were sealed. */
export function openedLength(sealed: string): number {
  return Math.floor(((sealed.length - PREFIX_LENGTH) * 3) / 4) - NONCE_BYTES - TAG_BYTES;
}
