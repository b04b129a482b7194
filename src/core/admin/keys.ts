/** API keys: created, listed and revoked by administrators, and resolved to the principal that they act as. */

import type {
  ApiKey,
  ApiKeyRecord,
  CreateKeyInput,
  CreateKeyOutput,
  ListKeysInput,
  ListKeysOutput,
} from '../../domain/api-key.ts';
import { LaminaError, invalidField } from '../../domain/error.ts';
import type { Principal } from '../../domain/principal.ts';
import { hasExpired } from '../../domain/time-to-live.ts';
import type { Dependencies } from '../dependencies.ts';
import { recordPage } from '../records/page.ts';
import { assertAdmin } from './assert-admin.ts';
import { isSecretOf, newKey, readKey } from './key-text.ts';
import { pseudonymOf } from './receipt.ts';
import { recordAct } from './record-act.ts';

export interface Keys {
  create(principal: Principal, input: CreateKeyInput): Promise<CreateKeyOutput>;
  list(principal: Principal, input: ListKeysInput): Promise<ListKeysOutput>;
  /** At once, for every process. False when there is no such key; one that was revoked before stays as it was. */
  revoke(principal: Principal, keyId: string): Promise<boolean>;
  /** The principal of a key; null if it is malformed, unknown, expired or revoked. */
  verify(text: string): Promise<Principal | null>;
}

type Needs = Pick<Dependencies, 'records' | 'audit' | 'clock' | 'ids'>;

const MS_PER_DAY = 86_400_000;

/** How old the recorded last use may be: a write for each use would not be worth it. */
const LAST_USE_MS = 60_000;

export function createKeys(dependencies: Needs): Keys {
  const noting = new Set<string>();
  return {
    create: (principal, input) => create(dependencies, principal, input),
    list: (principal, input) => list(dependencies, principal, input),
    revoke: (principal, keyId) => revoke(dependencies, principal, keyId),
    verify: (text) => verify(dependencies, noting, text),
  };
}

async function create(needs: Needs, principal: Principal, input: CreateKeyInput): Promise<CreateKeyOutput> {
  assertAdmin(principal);
  const { records, clock, ids } = needs;
  const now = clock.now();
  const expiresAt = expiryOf(input, now);
  const { name, userId, agentId, roles = ['member'] } = input;
  const held = [...new Set(roles)];
  const [keyId, at] = [ids.next(), new Date(now).toISOString()];
  const { text, secretHash } = newKey(principal.tenantId, keyId);
  // Log first: a logged key that was never created is better than one that nobody knows of.
  const about = { for: pseudonymOf(userId), roles: held.join(',') };
  await recordAct(needs, principal, 'keys.create', { keyId, about });
  const record = await records.apiKeys.create(principal, {
    keyId,
    name,
    userId,
    ...(agentId !== undefined && { agentId }),
    roles: held,
    ...(expiresAt !== undefined && { expiresAt }),
    createdAt: at,
    updatedAt: at,
    secretHash,
  });
  if (record === null) throw new LaminaError('UNAVAILABLE', 'A new key met another one of its name. Try again.');
  return { key: text, ...shown(record) };
}

function expiryOf({ expiresAt, expiresInDays }: CreateKeyInput, now: number): string | undefined {
  if (expiresAt !== undefined && expiresInDays !== undefined) {
    throw invalidField('expiresInDays', 'give either this or expiresAt, not both');
  }
  if (expiresInDays !== undefined) return new Date(now + expiresInDays * MS_PER_DAY).toISOString();
  if (expiresAt === undefined) return undefined;
  if (Date.parse(expiresAt) <= now) throw invalidField('expiresAt', 'is past already');
  return new Date(expiresAt).toISOString();
}

async function list({ records }: Needs, principal: Principal, input: ListKeysInput): Promise<ListKeysOutput> {
  assertAdmin(principal);
  const { items, nextCursor } = await recordPage(records.apiKeys, principal, {
    list: 'keys',
    where: {},
    limit: input.limit,
    cursor: input.cursor,
    place: ({ createdAt, keyId }) => [createdAt, keyId],
  });
  return { keys: items.map(shown), count: items.length, nextCursor };
}

async function revoke(needs: Needs, principal: Principal, keyId: string): Promise<boolean> {
  assertAdmin(principal);
  const { records, clock } = needs;
  const known = await records.apiKeys.get(principal, keyId);
  if (known === null) return false;
  if (known.revokedAt !== undefined) return true;
  const at = new Date(clock.now()).toISOString();
  // Log first, as for a new key: a revoked key is not logged again, so the entry must exist by then.
  await recordAct(needs, principal, 'keys.revoke', { keyId });
  const revoked = await records.apiKeys.change(principal, keyId, (key) =>
    key.revokedAt === undefined ? { ...key, revokedAt: at, updatedAt: at } : key,
  );
  return revoked !== null;
}

async function verify({ records, clock }: Needs, noting: Set<string>, text: string): Promise<Principal | null> {
  const parts = readKey(text);
  if (parts === null) return null;
  const { tenantId, keyId, secret } = parts;
  // The caller is known only once the key has been read.
  const nobody: Principal = { tenantId, userId: '' };
  const record = await records.apiKeys.get(nobody, keyId);
  if (!isSecretOf(record?.secretHash, secret) || record === null) return null;
  const now = clock.now();
  if (record.revokedAt !== undefined) return null;
  if (hasExpired(record, now)) return null;
  if (now - Date.parse(record.lastUsedAt ?? record.createdAt) >= LAST_USE_MS || record.lastUsedAt === undefined) {
    void noteUse(records, noting, nobody, keyId, new Date(now).toISOString());
  }
  const { userId, agentId, roles } = record;
  return { tenantId, userId, ...(agentId !== undefined && { agentId }), roles };
}

/** In the background: the call does not wait for it. */
async function noteUse(
  records: Needs['records'],
  noting: Set<string>,
  nobody: Principal,
  keyId: string,
  lastUsedAt: string,
): Promise<void> {
  if (noting.has(keyId)) return;
  noting.add(keyId);
  try {
    await records.apiKeys.change(nobody, keyId, (key) => ({ ...key, lastUsedAt }));
  } catch {
    // Not worth an error: the next use tries again.
  } finally {
    noting.delete(keyId);
  }
}

function shown(record: ApiKeyRecord): ApiKey {
  const { secretHash: _, ...key } = record;
  return key;
}
