/** Changing keys while everything goes on: sealing what is not, new data keys, a new master key. */

import { LaminaError } from '../domain/error.ts';
import type { StoredKey } from '../ports/key-store.ts';
import { isLeftUnder, resealTenant, type ResealWork } from './resealed.ts';

/**
 * How long a retired key is kept at least. Every process has read the keys anew by then, and ended what it had begun with
 * the old ones: see `keyring.ts`. With less, what others write meanwhile can be lost: that is for tests in which nobody does.
 */
export const GRACE_MS = 60_000;

export interface Rotation {
  /** How many values were sealed anew. */
  readonly resealed: number;
  /** The ids of the keys that are destroyed. */
  readonly destroyed: readonly string[];
  /** What was altered beside Lamina, and could not be opened: it stays as it is, and nothing can open it. */
  readonly unreadable: readonly string[];
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
  if (!keys.isThere) return { resealed: 0, destroyed: [], unreadable: [] };
  if (!keys.isComplete) throw unsealed(tenantId);
  const stored = await keyring.store.list(tenantId);
  if (!stored.some(isRetired)) await retire(work, tenantId);
  let resealed = await resealTenant(work, tenantId);
  const retiredAt = Math.max(...(await keyring.store.list(tenantId)).map((key) => key.retiredAt ?? 0));
  const rest = retiredAt + graceMs - keyring.clock.now();
  if (rest > 0) await keyring.clock.sleep(rest);
  resealed += await untilNothingIsLeft(work, tenantId);
  await work.resealing.compact(tenantId);
  for (;;) {
    resealed += await untilNothingIsLeft(work, tenantId);
    const destroyed = await destroyUnused(work, tenantId);
    if (destroyed !== undefined) return { resealed, destroyed, unreadable: [...new Set(work.unreadable?.values())] };
  }
}

/**
 * Takes the retired keys away and looks once more. Should anything have come to lie under one of them in between, they are
 * put back before anybody misses them. Undefined then; else the ids of those that are gone.
 */
async function destroyUnused(work: ResealWork, tenantId: string): Promise<string[] | undefined> {
  const { keyring } = work;
  const retired = (await keyring.store.list(tenantId)).filter(isRetired);
  const ids = retired.map(({ id }) => id);
  const left = await keyring.store.change(tenantId, (all) => all.filter(({ id }) => !ids.includes(id)));
  let isUsed = true;
  try {
    isUsed = await isLeftUnder(work, tenantId, ids);
  } finally {
    const back = (all: readonly StoredKey[]): StoredKey[] => [...all.filter(({ id }) => !ids.includes(id)), ...retired];
    await keyring.changed(tenantId, isUsed ? await keyring.store.change(tenantId, back) : left);
  }
  return isUsed ? undefined : ids;
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
