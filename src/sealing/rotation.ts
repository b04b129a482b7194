/** Changing keys while everything goes on: sealing what is not, new data keys, a new master key. */

import { LaminaError } from '../domain/error.ts';
import type { StoredKey } from '../ports/key-store.ts';
import { resealTenant, type ResealWork } from './resealed.ts';

/**
 * How long a retired key is kept at least. Every process has read the keys anew by then, and ended what it had begun with
 * the old ones: see `keyring.ts`.
 */
export const GRACE_MS = 60_000;

export interface Rotation {
  /** How many values were sealed anew. */
  readonly resealed: number;
  /** The ids of the keys that are destroyed. */
  readonly destroyed: readonly string[];
}

/** Seals what lies there unsealed. Whoever uses the database must have the master key already. */
export async function sealTenant(work: ResealWork, tenantId: string): Promise<number> {
  const { keyring, resealing } = work;
  const resealed = await untilNothingIsLeft(work, tenantId);
  await resealing.compact(tenantId);
  const completeAt = keyring.clock.now();
  const complete = (key: StoredKey): StoredKey =>
    key.purpose === 'index' && key.completeAt === null ? { ...key, completeAt } : key;
  await keyring.changed(tenantId, await keyring.store.change(tenantId, (keys) => keys.map(complete)));
  return resealed;
}

/**
 * A new data key, and everything sealed with it; then the ones before are destroyed. It can be stopped and begun again, also
 * by another process: no further key is made then. Throws `VALIDATION_FAILED` where something is not sealed yet.
 */
export async function rotateTenant(work: ResealWork, tenantId: string, graceMs: number = GRACE_MS): Promise<Rotation> {
  const { keyring } = work;
  const keys = await keyring.read(tenantId);
  if (!keys.isThere) return { resealed: 0, destroyed: [] };
  if (!keys.isComplete) throw unsealed(tenantId);
  const stored = await keyring.store.list(tenantId);
  if (!stored.some(isRetired)) await retire(work, tenantId);
  let resealed = await resealTenant(work, tenantId);
  const retiredAt = Math.max(...(await keyring.store.list(tenantId)).map((key) => key.retiredAt ?? 0));
  const rest = retiredAt + graceMs - keyring.clock.now();
  if (rest > 0) await keyring.clock.sleep(rest);
  resealed += await untilNothingIsLeft(work, tenantId);
  await work.resealing.compact(tenantId);
  const destroyed = (await keyring.store.list(tenantId)).filter(isRetired).map(({ id }) => id);
  const left = await keyring.store.change(tenantId, (all) => all.filter(({ id }) => !destroyed.includes(id)));
  await keyring.changed(tenantId, left);
  return { resealed, destroyed };
}

/** The data keys under the master key of now: nothing that they seal is touched. How many there were. */
export async function rewrapTenant({ keyring }: Pick<ResealWork, 'keyring'>, tenantId: string): Promise<number> {
  const current = keyring.master.idFor(tenantId);
  const former = (await keyring.store.list(tenantId)).filter(({ masterId }) => masterId !== current);
  const rewrapped = new Map<string, StoredKey>();
  for (const key of former) rewrapped.set(key.id, await keyring.rewrapped(tenantId, key));
  if (rewrapped.size > 0) {
    await keyring.store.change(tenantId, (keys) =>
      keys.map((key) => {
        const { wrapped, masterId } = rewrapped.get(key.id) ?? key;
        return { ...key, wrapped, masterId };
      }),
    );
  }
  return rewrapped.size;
}

async function retire({ keyring }: ResealWork, tenantId: string): Promise<void> {
  const key = await keyring.made(tenantId, 'data');
  const retiredAt = keyring.clock.now();
  const stored = await keyring.store.change(tenantId, (keys) => {
    // Somebody else may have begun just now.
    if (keys.some(isRetired)) return undefined;
    return [...keys.map((each) => (each.purpose === 'data' ? { ...each, retiredAt } : each)), key];
  });
  await keyring.changed(tenantId, stored);
}

/** A superseded version may come to lie where one has just been. */
async function untilNothingIsLeft(work: ResealWork, tenantId: string): Promise<number> {
  let sum = 0;
  for (;;) {
    const resealed = await resealTenant(work, tenantId);
    if (resealed === 0) return sum;
    sum += resealed;
  }
}

function isRetired({ retiredAt }: StoredKey): boolean {
  return retiredAt !== null;
}

function unsealed(tenantId: string): LaminaError {
  return new LaminaError(
    'VALIDATION_FAILED',
    `Not all of tenant ${tenantId} is sealed yet. Seal it first: lamina encryption seal`,
  );
}
