/**
 * The text of an API key: `lam_`, then where it is looked up (tenant and key id, 32 bytes), `_`, then its secret
 * (32 random bytes), both in base64url. It names its tenant, so that only that tenant's data is opened for it; only
 * the SHA-256 of the secret is stored. The secret is random, so that a plain hash of it cannot be searched through.
 */

import { hash, randomBytes, timingSafeEqual } from 'node:crypto';

const PREFIX = 'lam_';
const SECRET_BYTES = 32;
const PATTERN = /^lam_([A-Za-z0-9_-]{43})_([A-Za-z0-9_-]{43})$/;

interface KeyParts {
  readonly tenantId: string;
  readonly keyId: string;
  readonly secret: string;
}

/** A new key, with the hash that is stored. */
export function newKey(tenantId: string, keyId: string): { readonly text: string; readonly secretHash: string } {
  const place = Buffer.from((tenantId + keyId).replaceAll('-', ''), 'hex').toString('base64url');
  const secret = randomBytes(SECRET_BYTES).toString('base64url');
  return { text: `${PREFIX}${place}_${secret}`, secretHash: hash('sha256', secret) };
}

/**
 * Null if it is not a key. A key has exactly one spelling: another text that decodes to the same bytes is not a key either.
 */
export function readKey(text: string): KeyParts | null {
  const [, place = '', secret = ''] = PATTERN.exec(text) ?? [];
  const bytes = Buffer.from(place, 'base64url');
  if (place === '' || bytes.toString('base64url') !== place) return null;
  const digits = bytes.toString('hex');
  return { tenantId: uuidOf(digits.slice(0, 32)), keyId: uuidOf(digits.slice(32)), secret };
}

/** Constant time: the same for a wrong secret, the right one, and an unknown key. */
export function isSecretOf(secretHash: string | undefined, secret: string): boolean {
  const expected = Buffer.from(secretHash ?? '0'.repeat(64), 'hex');
  const given = Buffer.from(hash('sha256', secret), 'hex');
  return expected.length === given.length && timingSafeEqual(expected, given) && secretHash !== undefined;
}

function uuidOf(digits: string): string {
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
