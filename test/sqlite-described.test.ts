/** What searches remember of entries: as current as the file, whoever writes it, and gone when they are. */

import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Entry } from '../src/domain/entry.ts';
import { readMigrations } from '../src/engines/sql/migrations.ts';
import { SqliteConnection } from '../src/engines/sqlite/sqlite-connection.ts';
import { SqliteDescribedCache } from '../src/engines/sqlite/sqlite-described.ts';
import { SqliteEntryTransaction } from '../src/engines/sqlite/sqlite-entry-transaction.ts';
import { migrate } from '../src/engines/sqlite/sqlite-migrations.ts';
import { SqliteRecall } from '../src/engines/sqlite/sqlite-recall.ts';
import { SqliteStandstill } from '../src/engines/sqlite/sqlite-standstill.ts';
import type { Candidate, EntryTransaction, EntryWrite } from '../src/ports/entry-store.ts';
import { entryOf, nextVersion, partitionOfEntry } from '../src/testing/entry-write.ts';
import { ManualClock } from '../src/testing/manual-clock.ts';
import { makeFolder, removeFolder } from './sqlite-folder.ts';

const SPACE = { model: 'test:two', dimensions: 2 };
const clock = new ManualClock();

let folder: string;
let writing: SqliteConnection;
let reading: SqliteConnection;
let cache: SqliteDescribedCache;
let recall: SqliteRecall;

beforeEach(async () => {
  folder = await makeFolder();
  const file = join(folder, 'described.db');
  writing = new SqliteConnection(file, { readonly: false });
  migrate(writing.db, readMigrations('sqlite'), 0);
  reading = new SqliteConnection(file, { readonly: true });
  cache = new SqliteDescribedCache();
  const memory = { described: cache.ofTenant(), standstill: new SqliteStandstill(reading) };
  recall = new SqliteRecall(reading, clock, undefined, memory);
});

afterEach(async () => {
  for (const connection of [reading, writing]) connection.close();
  await removeFolder(folder);
});

function writeOf(entry: Entry): EntryWrite {
  const vector = Float32Array.of(0.6, 0.8);
  const lexemes = entry.content.split(' ');
  return { entry, partition: partitionOfEntry(entry), lexemes, embedding: { space: SPACE, vector } };
}

/** As another process would: by another connection. */
async function write(work: (tx: EntryTransaction) => Promise<unknown>): Promise<void> {
  writing.db.exec('BEGIN');
  await work(new SqliteEntryTransaction(writing, clock, 'u'));
  writing.db.exec('COMMIT');
}

const [FIRST, SECOND] = [entryOf({ content: 'leek soup' }), entryOf({ content: 'pear cake' })];
const PARTITIONS = [partitionOfEntry(FIRST)];

/** All of a reach, some of it, and by words alone. */
const WAYS = [
  { limit: 10, isMeant: true },
  { limit: 1, isMeant: true },
  { limit: 10, isMeant: false },
];

function ask(by: SqliteRecall, term: string, tag?: string, [way = WAYS[0]] = WAYS): Candidate[] {
  const probe = {
    terms: [{ lexeme: term, weight: 1 }],
    embedding: way?.isMeant ? { space: SPACE, vector: Float32Array.of(1, 0) } : undefined,
    endings: 400,
  };
  const reach = { partitions: PARTITIONS, filter: tag === undefined ? undefined : { tags: [tag] } };
  return by.candidates(reach, probe, way?.limit ?? 0).toSorted((a, b) => (a.id < b.id ? -1 : 1));
}

/** Nothing is remembered there. */
function expectAsRead(term: string, tag?: string, ways = WAYS): void {
  for (const _ of ['at first', 'again']) {
    for (const way of ways)
      expect(ask(recall, term, tag, [way])).toEqual(ask(new SqliteRecall(reading, clock), term, tag, [way]));
    expect(recall.textStatistics(PARTITIONS, [term, 'pear'])).toEqual(
      new SqliteRecall(reading, clock).textStatistics(PARTITIONS, [term, 'pear']),
    );
  }
}

describe('what a search remembers', () => {
  it('is what it would read, after every write of anybody', async () => {
    expectAsRead('leek');
    await write((tx) => tx.insert([writeOf(FIRST)]));
    expectAsRead('leek');
    await write((tx) => tx.insert([writeOf(SECOND)]));
    expectAsRead('pear');
    const changed = nextVersion(FIRST, { content: 'pear pear', tags: ['red'], importance: 0.9 });
    await write((tx) => tx.replace([writeOf(changed)]));
    expectAsRead('pear');
    expectAsRead('pear', 'red');
    expect(ask(recall, 'pear').map(({ frequencies }) => frequencies[0])).toEqual(expect.arrayContaining([1, 2]));
    await write((tx) => tx.remove([SECOND.id]));
    expectAsRead('pear', 'red');
    expectAsRead('pear');
    expect(ask(recall, 'pear')).toHaveLength(1);
  });

  it('expires when the entry does', async () => {
    const brief = { ...FIRST, expiresAt: new Date(clock.now() + 1000).toISOString() };
    await write((tx) => tx.insert([writeOf(brief), writeOf(SECOND)]));
    expectAsRead('leek');
    expect(ask(recall, 'leek', undefined, WAYS.slice(2))).toHaveLength(1);
    clock.advance(2000);
    expectAsRead('leek');
    for (const way of WAYS.slice(2)) expect(ask(recall, 'leek', undefined, [way])).toEqual([]);
  });

  it('has the most promising where many have a word', async () => {
    const many = Array.from({ length: 300 }, (_, n) =>
      entryOf({ content: `leek ${'soup '.repeat(n % 7)}number ${n}` }),
    );
    await write((tx) => tx.insert(many.map(writeOf)));
    const ways = [5, 60, 299, 400].map((limit) => ({ limit, isMeant: false }));
    for (const term of ['leek', 'soup']) expectAsRead(term, undefined, ways);
    expect(ask(recall, 'leek', undefined, ways)).toHaveLength(5);
  });

  it('knows what has changed, though the event that says so was pruned', async () => {
    await write((tx) => tx.insert([writeOf(FIRST), writeOf(SECOND)]));
    expectAsRead('leek');
    await write((tx) => tx.replace([writeOf(nextVersion(FIRST, { content: 'leek leek' }))]));
    writing.db.exec('UPDATE event_epoch SET pruned = (SELECT max(seq) FROM events); DELETE FROM events');
    expectAsRead('leek');
    for (const way of WAYS) expect(ask(recall, 'leek', undefined, [way])[0]?.frequencies).toEqual([2]);
  });

  it('knows what is stored in another way, though it is the same version', async () => {
    await write((tx) => tx.insert([writeOf(FIRST)]));
    expectAsRead('leek');
    const sealed = { ...FIRST, content: 'xyz', contentHash: 'another' };
    writing.db
      .prepare('UPDATE entries SET content_hash = ?, lexemes = ? WHERE id = ?')
      .run('another', 'xyz', sealed.id);
    expectAsRead('xyz', undefined, WAYS.slice(0, 1));
    expect(ask(recall, 'xyz')[0]?.frequencies).toEqual([1]);
  });

  it('knows what was sealed anew, though it is no event', async () => {
    await write((tx) => tx.insert([writeOf(FIRST), writeOf(SECOND)]));
    expectAsRead('leek');
    const partition = partitionOfEntry(FIRST);
    const sealed = {
      entry: { ...FIRST, contentHash: 'another' },
      partition,
      lexemes: ['leek', 'leek'],
      embeddings: [],
    };
    writing.db.transaction(() => new SqliteEntryTransaction(writing, clock, 'u').rewrite([sealed]))();
    expectAsRead('leek');
    for (const way of WAYS) expect(ask(recall, 'leek', undefined, [way])[0]?.frequencies).toEqual([2]);
  });

  it.each([
    { way: 0, hasVector: true },
    { way: 2, hasVector: true },
    { way: 2, hasVector: false },
  ])('is let go of when an entry is not there any more: $way, $hasVector', async ({ way, hasVector }) => {
    const second = writeOf({ ...SECOND, content: 'leek cake' });
    await write((tx) => tx.insert([writeOf(FIRST), hasVector ? second : { ...second, embedding: undefined }]));
    const ways = WAYS.slice(way);
    expect(ask(recall, 'leek', undefined, ways)).toHaveLength(2);
    const held = cache.size;
    await write((tx) => tx.remove([SECOND.id]));
    ask(recall, 'leek', undefined, ways);
    expect(cache.size).toBeLessThan(held);
  });

  it('stays within a bound', async () => {
    const small = new SqliteDescribedCache(100);
    const memory = { described: small.ofTenant(), standstill: new SqliteStandstill(reading) };
    const bounded = new SqliteRecall(reading, clock, undefined, memory);
    await write((tx) => tx.insert([writeOf(FIRST), writeOf(SECOND)]));
    expect(ask(bounded, 'leek')).toEqual(ask(recall, 'leek'));
    expect(small.size).toBeLessThanOrEqual(100);
  });
});
