/** What is stored, sealed with the key of now: what is not sealed yet, or with another key. */

import { LaminaError } from '../domain/error.ts';
import type { Archived, ArchivedEntry, ArchivedState, Place } from '../ports/archive.ts';
import type { HotStore } from '../ports/hot-store.ts';
import type { StatePlace } from '../ports/state-store.ts';
import { RESEALED, type Resealed, type ResealedPage, type Resealing } from '../ports/resealing.ts';
import type { Keyring } from './keyring.ts';
import { SEALERS } from './sealed-archive.ts';
import { openedEntry, sealedEntry } from './sealed-entry.ts';
import { SEALED_RECORDS } from './sealed-records.ts';
import { keyIdOf } from './sealed-text.ts';
import { openedItem, sealedItem } from './sealed-state.ts';
import type { TenantKeys } from './tenant-keys.ts';

/** Items at once: whoever writes to the same waits meanwhile. */
const BATCH = 100;

export interface ResealWork {
  readonly keyring: Keyring;
  readonly resealing: Resealing;
  /** As it is underneath. */
  readonly hot?: HotStore | undefined;
  /** What cannot be opened, and stays as it is: names by what lies there. Without it nothing may be so. */
  readonly unreadable?: Map<string, string> | undefined;
  /** Looked at between two batches. */
  readonly signal?: AbortSignal | undefined;
  /** Told of each batch. */
  readonly told?: ((tenantId: string, collection: string, seen: number, changed: number) => void) | undefined;
}

/** The texts of an item that are sealed, or should be. */
export function sealedTextsOf(collection: Resealed, item: Archived[Resealed]): string[] {
  const { entry, memory, value, metadata } = item as Partial<ArchivedEntry & ArchivedState> & Record<string, never>;
  switch (collection) {
    case 'entries':
      return [String(entry?.content)];
    case 'versions':
      return [String((memory as { readonly content?: string } | undefined)?.content)];
    case 'state':
      return [typeof value === 'string' ? value : ''];
    case 'facts':
      return [String((metadata as { readonly sealed?: string } | undefined)?.sealed)];
    default: {
      const fields = SEALED_RECORDS[collection]?.fields ?? [];
      const values = fields.map((field) => (item as unknown as Readonly<Record<string, unknown>>)[field]);
      return values.flatMap((each) =>
        each === undefined || each === null ? [] : [typeof each === 'string' ? each : ''],
      );
    }
  }
}

/** Undefined where it is as it should be. */
function resealedItem<C extends Resealed>(keys: TenantKeys, collection: C, item: Archived[C]): Archived[C] | undefined {
  if (sealedTextsOf(collection, item).every((text) => keyIdOf(text) === keys.currentId)) return undefined;
  if (collection === 'entries') return resealedEntry(keys, item as ArchivedEntry) as Archived[C];
  const sealer = SEALERS[collection] as NonNullable<(typeof SEALERS)[C]> | undefined;
  if (sealer === undefined) throw new Error(`Nobody knows how ${collection} are sealed.`);
  return sealer.seal(
    keys,
    sealer.open(keys, item, () => []),
  );
}

/** The same; but what was altered is named, and does not keep the others from being sealed anew. */
function resealedOrNamed<C extends Resealed>(
  { unreadable }: ResealWork,
  keys: TenantKeys,
  collection: C,
  item: Archived[C],
): Archived[C] | undefined {
  try {
    return resealedItem(keys, collection, item);
  } catch (error) {
    if (unreadable === undefined || !(error instanceof LaminaError)) throw error;
    for (const text of sealedTextsOf(collection, item)) unreadable.set(text, nameOf(collection, item));
    return undefined;
  }
}

function nameOf(collection: Resealed, item: object): string {
  const { entry, entryId, factId, namespace, key } = item as Partial<ArchivedEntry & ArchivedState> & {
    readonly entryId?: string;
    readonly factId?: string;
  };
  const id = entry?.id ?? entryId ?? factId ?? (key === undefined ? undefined : `${namespace} ${key}`);
  const named = SEALED_RECORDS[collection as keyof typeof SEALED_RECORDS]?.key;
  const other = named === undefined ? undefined : (item as Readonly<Record<string, unknown>>)[named];
  return `${collection} ${id ?? String(other)}`;
}

/** The marks of its words stay: they are made with a key that stays. */
function resealedEntry(keys: TenantKeys, item: ArchivedEntry): ArchivedEntry {
  const entry = openedEntry(keys, item.entry);
  const isSealed = entry !== item.entry;
  const lexemes = isSealed ? item.lexemes : item.lexemes.map((lexeme) => keys.marks.word(lexeme));
  return { ...item, entry: sealedEntry(keys, entry), lexemes };
}

/** Goes through everything of a tenant once; gives back how much was sealed anew. */
export async function resealTenant(work: ResealWork, tenantId: string): Promise<number> {
  let sum = 0;
  for (const collection of RESEALED) sum += await resealCollection(work, tenantId, collection);
  return sum + (await resealHot(work, tenantId));
}

/** Whether anything of a tenant is sealed with one of these keys. Changes nothing. */
export async function isLeftUnder(work: ResealWork, tenantId: string, keyIds: readonly string[]): Promise<boolean> {
  const isUnder = (text: string): boolean =>
    keyIds.includes(keyIdOf(text) ?? '') && work.unreadable?.has(text) !== true;
  for (const collection of RESEALED) {
    let [isFound, after]: [boolean, Place | undefined] = [false, undefined];
    do {
      const page: ResealedPage = await work.resealing.reseal(tenantId, collection, BATCH, after, (item) => {
        isFound ||= sealedTextsOf(collection, item).some(isUnder);
        return undefined;
      });
      if (isFound) return true;
      after = page.last;
    } while (after !== undefined);
  }
  let items = (await work.hot?.archive.read(tenantId, BATCH)) ?? [];
  while (items.length > 0) {
    if (items.some((item) => sealedTextsOf('state', item).some(isUnder))) return true;
    items = (await work.hot?.archive.read(tenantId, BATCH, items.at(-1))) ?? [];
  }
  return false;
}

async function resealCollection<C extends Resealed>(
  work: ResealWork,
  tenantId: string,
  collection: C,
): Promise<number> {
  const { keyring, resealing, signal, told } = work;
  let sum = 0;
  let after: Place | undefined;
  do {
    signal?.throwIfAborted();
    const from: Place | undefined = after;
    const { last, seen, changed }: ResealedPage = await keyring.writing(tenantId, (keys) =>
      resealing.reseal(tenantId, collection, BATCH, from, (item) => resealedOrNamed(work, keys, collection, item)),
    );
    told?.(tenantId, collection, seen, changed);
    sum += changed;
    after = last;
  } while (after !== undefined);
  return sum;
}

/** In a hot store a value that is sealed anew gets a new version: who compares with the one before has to read again. */
async function resealHot({ keyring, hot, signal, told }: ResealWork, tenantId: string): Promise<number> {
  if (hot === undefined) return 0;
  let [sum, after]: [number, StatePlace | undefined] = [0, undefined];
  do {
    signal?.throwIfAborted();
    const items: ArchivedState[] = await hot.archive.read(tenantId, BATCH, after);
    let changed = 0;
    for (const item of items) changed += await keyring.writing(tenantId, (keys) => resealHotItem(hot, keys, item));
    if (items.length > 0) told?.(tenantId, 'hot state', items.length, changed);
    sum += changed;
    after = items.at(-1);
  } while (after !== undefined);
  return sum;
}

async function resealHotItem(hot: HotStore, keys: TenantKeys, item: ArchivedState): Promise<number> {
  const { namespace, key, version, value } = item;
  if (keyIdOf(typeof value === 'string' ? value : '') === keys.currentId) return 0;
  const sealed = sealedItem(keys, namespace, openedItem(keys, namespace, item));
  try {
    const write = { mutation: { type: 'set', value: sealed.value }, ifVersion: version, maxBytes: Infinity } as const;
    await hot.write({ tenantId: keys.tenantId, userId: '' }, namespace, key, write);
  } catch (error) {
    // Whoever was quicker has sealed it with the key of now.
    if (!(error instanceof LaminaError) || error.code !== 'VERSION_CONFLICT') throw error;
  }
  return 1;
}
