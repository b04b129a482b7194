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

export async function listed(
  keys: TenantKeys,
  selection: Selection,
  limit: number,
  list: (selection: Selection) => Promise<Entry[]>,
  order: (a: Entry, b: Entry) => number = newestFirst,
): Promise<Entry[]> {
  const pages = await Promise.all(sealedSelections(keys, selection).map(list));
  return merged(pages, order, limit).map((entry) => openedEntry(keys, entry));
}

function newestFirst(a: Entry, b: Entry): number {
  return Date.parse(b.createdAt) - Date.parse(a.createdAt) || (a.id < b.id ? 1 : -1);
}

export function latestFirst(a: Entry, b: Entry): number {
  return sinceOf(b) - sinceOf(a) || (a.id < b.id ? 1 : -1);
}

function sinceOf({ validFrom, createdAt }: Entry): number {
  return Date.parse(validFrom ?? createdAt);
}
