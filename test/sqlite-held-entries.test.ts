/** Entries that are held in memory: as the file has them, whoever writes it, within a bound, and gone when they are. */

import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { copyOfEntry, originalOf } from '../src/domain/entry-copy.ts';
import type { Entry } from '../src/domain/entry.ts';
import { readMigrations } from '../src/engines/sql/migrations.ts';
import { SqliteConnection } from '../src/engines/sqlite/sqlite-connection.ts';
import { SqliteEntryReader } from '../src/engines/sqlite/sqlite-entry-reader.ts';
import { SqliteEntryTransaction } from '../src/engines/sqlite/sqlite-entry-transaction.ts';
import { SqliteFreshness } from '../src/engines/sqlite/sqlite-freshness.ts';
import { type SqliteHeldEntries, SqliteHeldEntriesCache } from '../src/engines/sqlite/sqlite-held-entries.ts';
import { migrate } from '../src/engines/sqlite/sqlite-migrations.ts';
import { SqliteStandstill } from '../src/engines/sqlite/sqlite-standstill.ts';
import { wireOf } from '../src/operations/wire.ts';
import type { EntryTransaction, EntryWrite } from '../src/ports/entry-store.ts';
import { entryOf, nextVersion, partitionOfEntry } from '../src/testing/entry-write.ts';
import { ManualClock } from '../src/testing/manual-clock.ts';
import { makeFolder, removeFolder } from './sqlite-folder.ts';

const clock = new ManualClock();

let folder: string;
let writing: SqliteConnection;
let reading: SqliteConnection;
/** Of another process. */
let other: SqliteConnection;
let cache: SqliteHeldEntriesCache;
let held: SqliteHeldEntries;
let reader: SqliteEntryReader;

beforeEach(async () => {
  folder = await makeFolder();
  const file = join(folder, 'held.db');
  writing = new SqliteConnection(file, { readonly: false });
  migrate(writing.db, readMigrations('sqlite'), 0);
  other = new SqliteConnection(file, { readonly: false });
  reading = new SqliteConnection(file, { readonly: true });
  cache = new SqliteHeldEntriesCache();
  held = cache.ofTenant(new SqliteFreshness(writing).watch());
  reader = new SqliteEntryReader(reading, clock, { held, standstill: new SqliteStandstill(writing) });
});

afterEach(async () => {
  for (const connection of [reading, writing, other]) connection.close();
  await removeFolder(folder);
});

function writeOf(entry: Entry): EntryWrite {
  return { entry, partition: partitionOfEntry(entry), lexemes: entry.content.split(' '), embedding: undefined };
}

async function write(work: (tx: EntryTransaction) => Promise<unknown>, by: SqliteConnection = writing): Promise<void> {
  by.db.exec('BEGIN');
  await work(new SqliteEntryTransaction(by, clock, 'u'));
  by.db.exec('COMMIT');
  if (by === writing) held.noteCommit();
}

/** So that an answer of this turn of the event loop about other processes is asked for anew. */
const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const FIRST = entryOf({ content: 'leek soup', metadata: { deep: { list: [1, { two: 2 }] } }, tags: ['green'] });
const SECOND = entryOf({ content: 'pear cake', source: { type: 'user', reference: 'm1' } });
const SELECTION = { partitions: [partitionOfEntry(FIRST)] };

const byId = (a: Entry, b: Entry): number => (a.id < b.id ? -1 : 1);

/** In every way, also again: just as without anything held. */
async function expectAsRead(): Promise<void> {
  await nextTurn();
  const plain = new SqliteEntryReader(reading, clock);
  for (const _ of ['at first', 'again']) {
    for (const ids of [[FIRST.id], [SECOND.id], [SECOND.id, FIRST.id, SECOND.id], []]) {
      expect(reader.find(ids).toSorted(byId)).toEqual(plain.find(ids).toSorted(byId));
    }
    expect(reader.list(SELECTION, 10)).toEqual(plain.list(SELECTION, 10));
    expect(reader.timeline(SELECTION, 1)).toEqual(plain.timeline(SELECTION, 1));
    expect(reader.count(SELECTION)).toBe(plain.count(SELECTION));
    expect(reader.count({ ...SELECTION, filter: { tags: ['red'] } })).toBe(
      plain.count({ ...SELECTION, filter: { tags: ['red'] } }),
    );
  }
}

describe('entries that are held', () => {
  it('are as the file has them, after every write of anybody', async () => {
    await write((tx) => tx.insert([writeOf(FIRST)]));
    await expectAsRead();
    await write((tx) => tx.insert([writeOf(SECOND)]), other);
    await expectAsRead();
    await write((tx) => tx.replace([writeOf(nextVersion(FIRST, { content: 'leek tart', tags: ['red'] }))]));
    await expectAsRead();
    await write((tx) => tx.replace([writeOf(nextVersion(SECOND, { importance: 0.9 }))]), other);
    await expectAsRead();
    writing.db.prepare('UPDATE entries SET access_count = access_count + 1, last_accessed_at = ?').run(clock.now());
    held.noteCommit();
    await expectAsRead();
    expect(reader.find([FIRST.id])[0]?.accessCount).toBe(1);
    await write((tx) => tx.remove([SECOND.id]));
    await expectAsRead();
    expect(reader.find([FIRST.id, SECOND.id])).toHaveLength(1);
  });

  it('are not given when another process has written the same version in another way', async () => {
    await write((tx) => tx.insert([writeOf(FIRST), writeOf(SECOND)]));
    await expectAsRead();
    other.db.prepare('UPDATE entries SET identifiers = ?').run('{"projectId":"q"}');
    await expectAsRead();
    expect(reader.find([FIRST.id])[0]?.identifiers).toEqual({ projectId: 'q' });
  });

  it('expire', async () => {
    const brief = { ...FIRST, expiresAt: new Date(clock.now() + 1000).toISOString() };
    await write((tx) => tx.insert([writeOf(brief), writeOf(SECOND)]));
    await expectAsRead();
    clock.advance(2000);
    await expectAsRead();
    expect(reader.list(SELECTION, 10).map(({ id }) => id)).toEqual([SECOND.id]);
  });

  it('are read once', async () => {
    await write((tx) => tx.insert([writeOf(FIRST), writeOf(SECOND)]));
    const all = vi.spyOn(reading, 'all');
    const columns = (): number => all.mock.calls.filter(([sql]) => sql.includes('e.decay_factor')).length;
    reader.list(SELECTION, 10);
    expect(columns()).toBe(1);
    reader.list(SELECTION, 10);
    reader.find([FIRST.id]);
    reader.find([FIRST.id, SECOND.id]);
    expect(columns()).toBe(1);
  });

  it('are nowhere in memory when they are gone, whoever removed them', async () => {
    await write((tx) => tx.insert([writeOf(FIRST), writeOf(SECOND)]));
    await nextTurn();
    reader.list(SELECTION, 10);
    expect(cache.size).toBeGreaterThan(0);
    await write((tx) => tx.remove([FIRST.id, SECOND.id]), other);
    await nextTurn();
    reader.list(SELECTION, 10);
    expect(cache.size).toBe(0);
  });

  it('take no more room than they may, and long ones none', async () => {
    const many = Array.from({ length: 60 }, (_, n) => entryOf({ content: `leek number ${n}` }));
    const long = entryOf({ content: 'long '.repeat(20_000) });
    await write((tx) => tx.insert([...many, long].map(writeOf)));
    cache = new SqliteHeldEntriesCache(50_000);
    held = cache.ofTenant(() => true);
    reader = new SqliteEntryReader(reading, clock, { held, standstill: new SqliteStandstill(writing) });
    const plain = new SqliteEntryReader(reading, clock);
    for (const _ of ['at first', 'again']) {
      expect(reader.list(SELECTION, 100)).toEqual(plain.list(SELECTION, 100));
      expect(cache.size).toBeGreaterThan(40_000);
      expect(cache.size).toBeLessThanOrEqual(50_000);
    }
  });

  it('stay as they are, whatever is done to what was given', async () => {
    await write((tx) => tx.insert([writeOf(FIRST), writeOf(SECOND)]));
    for (const entry of reader.list(SELECTION, 10)) {
      entry.tags.push('spoilt');
      Object.assign(entry.identifiers, { projectId: 'spoilt' });
      Object.assign((entry.metadata['deep'] as object | undefined) ?? {}, { list: 'spoilt' });
      Object.assign(entry.source ?? {}, { reference: 'spoilt' });
      entry.content = 'spoilt';
    }
    await expectAsRead();
  });
});

describe('a copy', () => {
  const text = fc.string({ maxLength: 80 });
  const entries = fc
    .record({ content: text, metadata: fc.dictionary(text, fc.jsonValue()), tags: fc.array(text) })
    .map(({ metadata, ...rest }) => entryOf({ ...rest, metadata: JSON.parse(JSON.stringify(metadata)) }));

  it('is written as JSON like what it is a copy of, for each answer in its own form', () => {
    fc.assert(
      fc.property(entries, (entry) => {
        const [page, one] = [wireOf('list').output, wireOf('get').output];
        for (const _ of ['at first', 'again']) {
          const copy = copyOfEntry(entry);
          expect(originalOf(copy)).toBe(entry);
          const listed = { memories: [copy, copyOfEntry(entry)], nextCursor: null, totalCount: 2 };
          expect(page.encodeText(listed)).toBe(JSON.stringify(page.encode({ ...listed, memories: [entry, entry] })));
          expect(one.encodeText(copy)).toBe(JSON.stringify(one.encode(entry)));
        }
        // What is made of a copy is another thing.
        const changed = { ...copyOfEntry(entry), content: 'changed' };
        expect(one.encodeText(changed)).toBe(JSON.stringify(one.encode(changed)));
      }),
    );
  });
});
