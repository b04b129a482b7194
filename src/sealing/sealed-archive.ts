/** Everything that there is, opened for whoever carries it elsewhere, and sealed where it comes to lie. */

import type { Collection } from '../domain/archive.ts';
import type { Entry } from '../domain/entry.ts';
import { LaminaError } from '../domain/error.ts';
import type { Archive, Archived, ArchivedEntry, ArchivePage, Place } from '../ports/archive.ts';
import type { Keyring } from './keyring.ts';
import { openedEntry, sealedEntry } from './sealed-entry.ts';
import { openedFact, sealedFact } from './sealed-facts.ts';
import { openedRecord, sealedRecord, SEALED_RECORDS } from './sealed-records.ts';
import { openedItem, sealedItem } from './sealed-state.ts';
import type { TenantKeys } from './tenant-keys.ts';

/** The words of an entry as the text index would have them. */
export type LexemesOf = (entry: Entry) => readonly string[];

/** How the items of a collection are sealed and opened. */
interface Sealer<T> {
  readonly seal: (keys: TenantKeys, item: T) => T;
  readonly open: (keys: TenantKeys, item: T, lexemesOf: LexemesOf) => T;
}

type Sealers = { readonly [C in Collection]?: Sealer<Archived[C]> };

const records = Object.fromEntries(
  Object.entries(SEALED_RECORDS).map(([name, table]) => [
    name,
    {
      seal: (keys: TenantKeys, item: never) => sealedRecord(keys, table, item),
      open: (keys: TenantKeys, item: never) => openedRecord(keys, table, item),
    },
  ]),
) as Sealers;

export const SEALERS: Sealers = {
  ...records,
  entries: { seal: sealedArchivedEntry, open: openedArchivedEntry },
  versions: {
    seal: (keys, item) => ({ ...item, memory: sealedEntry(keys, item.memory) }),
    open: (keys, item) => ({ ...item, memory: openedEntry(keys, item.memory) }),
  },
  state: {
    seal: (keys, item) => sealedItem(keys, item.namespace, item),
    open: (keys, item) => openedItem(keys, item.namespace, item),
  },
  facts: { seal: sealedFact, open: openedFact },
};

function sealedArchivedEntry(keys: TenantKeys, item: ArchivedEntry): ArchivedEntry {
  const lexemes = item.lexemes.map((lexeme) => keys.marks.word(lexeme));
  return { ...item, entry: sealedEntry(keys, item.entry), lexemes };
}

/** Marks cannot be turned back into words: these are made anew, unless there are none where some should be. */
function openedArchivedEntry(keys: TenantKeys, item: ArchivedEntry, lexemesOf: LexemesOf): ArchivedEntry {
  const entry = openedEntry(keys, item.entry);
  if (entry === item.entry) return item;
  return { ...item, entry, lexemes: item.lexemes.length === 0 ? [] : lexemesOf(entry) };
}

export function sealedArchive(archive: Archive, keyring: Keyring, lexemesOf: LexemesOf): Archive {
  return {
    tenants: (limit, after) => archive.tenants(limit, after),
    tallies: (tenantId, at) => archive.tallies(tenantId, at),
    read: <C extends Collection>(tenantId: string, collection: C, limit: number, after?: Place) =>
      keyring.reading(tenantId, async (keys) => {
        const page = await archive.read(tenantId, collection, limit, after);
        const sealer: Sealer<Archived[C]> | undefined = SEALERS[collection];
        return sealer ? openedPage(collection, page, (item) => sealer.open(keys, item, lexemesOf)) : page;
      }),
    end: (tenantId, collection) => archive.end(tenantId, collection),
    write: <C extends Collection>(tenantId: string, collection: C, items: readonly Archived[C][]) =>
      keyring.writing(tenantId, (keys) => {
        const sealer: Sealer<Archived[C]> | undefined = SEALERS[collection];
        return archive.write(tenantId, collection, sealer ? items.map((item) => sealer.seal(keys, item)) : items);
      }),
    latestVersion: (tenantId) => archive.latestVersion(tenantId),
    advanceVersions: (tenantId, version) => archive.advanceVersions(tenantId, version),
    readErasures: (limit, after) => archive.readErasures(limit, after),
    writeErasures: (items) => archive.writeErasures(items),
  };
}

/** What was altered is named, and does not hide the others. */
function openedPage<T extends object>(
  collection: Collection,
  page: ArchivePage<T>,
  open: (item: T) => T,
): ArchivePage<T> {
  const items: T[] = [];
  const altered: Place[] = [];
  for (const item of page.items) {
    try {
      items.push(open(item));
    } catch (error) {
      const place = error instanceof LaminaError ? placeOf(collection, item) : undefined;
      if (place === undefined) throw error;
      altered.push(place);
    }
  }
  const unreadable = [...(page.unreadable ?? []), ...altered];
  return { ...page, items, ...(unreadable.length > 0 && { unreadable }) };
}

/** What names it, which is never sealed. */
const KEYS: Partial<Readonly<Record<Collection, readonly string[]>>> = {
  ...Object.fromEntries(Object.values(SEALED_RECORDS).map(({ name, key }) => [name, [key]])),
  state: ['namespace', 'key'],
  facts: ['factId'],
};

function placeOf(collection: Collection, item: object): Place | undefined {
  const { entry, entryId, memory } = item as { entry?: Entry; entryId?: string; memory?: Entry };
  if (entryId !== undefined && memory !== undefined) return [entryId, memory.version];
  if (entry !== undefined) return [entry.id];
  return KEYS[collection]?.map((key) => String((item as Readonly<Record<string, unknown>>)[key]));
}
