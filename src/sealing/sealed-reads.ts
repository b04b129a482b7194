/** Reading sealed entries: what a store and a transaction of it have in common. */

import type { Entry } from '../domain/entry.ts';
import type { EntryTransaction, Identity, Selection } from '../ports/entry-store.ts';
import { openedEntry } from './sealed-entry.ts';
import { merged, sealedIdentity, sealedSelections } from './sealed-selection.ts';
import type { TenantKeys } from './tenant-keys.ts';

type FindSame = EntryTransaction['findSame'];

/** While not all is sealed, what was not found by the mark of its content may lie there by its hash. */
export async function findSame(
  keys: TenantKeys,
  find: FindSame,
  identities: readonly Identity[],
): Promise<(Entry | null)[]> {
  if (!keys.isThere) return find(identities);
  const found = await find(identities.map((identity) => sealedIdentity(keys, identity)));
  const isMissed = (identity: Identity, index: number): boolean =>
    found[index] === null && identity.contentHash !== undefined;
  const missed = keys.isComplete ? [] : identities.filter(isMissed);
  const unsealed = missed.length === 0 ? [] : await find(missed);
  return found.map((entry, index) => {
    const identity = identities[index];
    const other = entry ?? (identity && unsealed[missed.indexOf(identity)]) ?? null;
    return other && openedEntry(keys, other);
  });
}

/** Still sealed. */
export async function listed(
  keys: TenantKeys,
  selection: Selection,
  limit: number,
  list: (selection: Selection) => Promise<Entry[]>,
  order: (a: Entry, b: Entry) => number,
): Promise<Entry[]> {
  return merged(await Promise.all(sealedSelections(keys, selection).map(list)), order, limit);
}

/** Leaves out what cannot be opened, and reads on instead of it: a page that is not full is the last one. */
export async function readOn<T, P>(
  limit: number,
  start: P | undefined,
  read: (limit: number, position: P | undefined) => Promise<readonly T[]>,
  placeOf: (item: T) => P,
  open: (item: T) => T | undefined,
): Promise<T[]> {
  const items: T[] = [];
  let position = start;
  for (;;) {
    const size = limit - items.length;
    const page = await read(size, position);
    items.push(...page.flatMap((item) => open(item) ?? []));
    const last = page.at(-1);
    if (last === undefined || page.length < size || items.length === limit) return items;
    position = placeOf(last);
  }
}

export function newestFirst(a: Entry, b: Entry): number {
  return Date.parse(b.createdAt) - Date.parse(a.createdAt) || (a.id < b.id ? 1 : -1);
}

export function latestFirst(a: Entry, b: Entry): number {
  return sinceOf(b) - sinceOf(a) || (a.id < b.id ? 1 : -1);
}

export function sinceOf({ validFrom, createdAt }: Entry): number {
  return Date.parse(validFrom ?? createdAt);
}
