/** What searches on PostgreSQL remember of entries: as current as the database, whoever writes it, and gone when they are. */

import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { PostgresDescribed } from '../src/engines/postgres/postgres-described.ts';
import type { PostgresEngine } from '../src/engines/postgres/postgres-engine.ts';
import type { Candidate, EntryTransaction } from '../src/ports/entry-store.ts';
import { TENANT } from '../src/testing/engine-subject.ts';
import { embeddingOf, entryOf, nextVersion, partitionOfEntry, writeOf } from '../src/testing/entry-write.ts';
import { ManualClock } from '../src/testing/manual-clock.ts';
import { serverUnderTest } from './postgres-server-subject.ts';
import { describeOnPostgres } from './postgres-server.ts';

const server = await serverUnderTest();
const clock = new ManualClock();
let engine: PostgresEngine;
let other: PostgresEngine;

const [FIRST, SECOND] = [entryOf({ content: 'leek soup' }), entryOf({ content: 'pear cake' })];
const PARTITIONS = [partitionOfEntry(FIRST)];

async function ask(by: PostgresEngine, term: string, limit = 10): Promise<Candidate[]> {
  const probe = { terms: [{ lexeme: term, weight: 1 }], embedding: await embeddingOf('soup of leek'), endings: 400 };
  const found = await by.entries.candidates(TENANT, { partitions: PARTITIONS }, probe, limit);
  return found.toSorted((a, b) => (a.id < b.id ? -1 : 1));
}

/** With a condition that everything meets, nothing is remembered. */
async function read(by: PostgresEngine, term: string): Promise<Candidate[]> {
  const probe = { terms: [{ lexeme: term, weight: 1 }], embedding: await embeddingOf('soup of leek'), endings: 400 };
  const reach = { partitions: PARTITIONS, created: { from: 0 } };
  const found = await by.entries.candidates(TENANT, reach, probe, 10);
  return found.toSorted((a, b) => (a.id < b.id ? -1 : 1));
}

/** All of the reach is held from here on; until then searches are answered by the statement that `read` asks too. */
async function describeAll(): Promise<void> {
  await ask(engine, 'leek');
  await vi.waitFor(async () => {
    await ask(engine, 'leek');
    const statistics = vi.spyOn(engine.entries, 'textStatistics');
    await engine.entries.recollection?.()?.textStatistics(TENANT, PARTITIONS, []);
    const { calls } = statistics.mock;
    statistics.mockRestore();
    expect(calls).toEqual([]);
  });
}

async function expectAsRead(term: string, count: number): Promise<void> {
  for (const _ of ['at first', 'again']) {
    const found = await ask(engine, term);
    expect(found).toEqual(await read(engine, term));
    expect(found).toHaveLength(count);
  }
}

/** As another process would. */
function write(work: (tx: EntryTransaction) => Promise<unknown>): Promise<unknown> {
  return other.entries.transaction(TENANT, work);
}

describeOnPostgres('what a search on PostgreSQL remembers', () => {
  beforeEach(async () => {
    if (server === undefined) throw new Error('There is no server.');
    engine = await server.open(clock);
    other = await server.another(clock);
  });
  afterEach(() => Promise.all([engine.close(), other.close()]));

  it('is what it would read, after every write of anybody', async () => {
    await expectAsRead('leek', 0);
    const [first, second] = [await writeOf(FIRST), await writeOf(SECOND)];
    await write((tx) => tx.insert([first]));
    await expectAsRead('leek', 1);
    await describeAll();
    await expectAsRead('leek', 1);
    await write((tx) => tx.insert([{ ...second, embedding: undefined }]));
    await expectAsRead('leek', 1);
    await expectAsRead('pear', 2);
    const changed = nextVersion(FIRST, { content: 'pear pear' });
    const changedWrite = await writeOf(changed);
    await write((tx) => tx.replace([changedWrite]));
    await expectAsRead('pear', 2);
    await write((tx) => tx.remove([SECOND.id]));
    await expectAsRead('pear', 1);
  });

  it('knows what was changed though its words are the same', async () => {
    const first = await writeOf(FIRST);
    await write((tx) => tx.insert([first]));
    await describeAll();
    await expectAsRead('leek', 1);
    const weightier = await writeOf(nextVersion(FIRST, { importance: 0.9, metadata: { of: 'note' } }));
    await write((tx) => tx.replace([weightier]));
    await expectAsRead('leek', 1);
    expect((await ask(engine, 'leek'))[0]?.importance).toBe(0.9);
  });

  it('expires when the entry does', async () => {
    const first = await writeOf({ ...FIRST, expiresAt: new Date(clock.now() + 1000).toISOString() });
    await write((tx) => tx.insert([first]));
    await describeAll();
    await expectAsRead('leek', 1);
    clock.advance(2000);
    await expectAsRead('leek', 0);
  });

  it('chooses the nearest and the most promising, as the statement does', async () => {
    const writes = await Promise.all(
      Array.from({ length: 40 }, (_, n) => writeOf(entryOf({ content: `leek ${'soup '.repeat(n)}number ${n}` }))),
    );
    await write((tx) => tx.insert(writes));
    const probe = { terms: [{ lexeme: 'leek', weight: 1 }], embedding: await embeddingOf('leek soup'), endings: 400 };
    const by = async (created: object): Promise<Candidate[]> =>
      (await engine.entries.candidates(TENANT, { partitions: PARTITIONS, ...created }, probe, 5)).toSorted((a, b) =>
        a.id < b.id ? -1 : 1,
      );
    await describeAll();
    const found = await by({});
    expect(found.length).toBeLessThanOrEqual(10);
    expect(found).toEqual(await by({ created: { from: 0 } }));
  });
});

it('knows which reaches are described, and no longer when one of their partitions is not', () => {
  const entries = new Map([[1, { seq: 1, stamp: '7', lexemes: 'leek', expiresAt: null, entry: { ...CANDIDATE } }]]);
  const described = new PostgresDescribed(4000);
  const tenant = described.ofTenant('t', 1);
  expect(tenant.isHeld(['a'])).toBe(false);
  for (const id of [1, 2]) tenant.hold(id, { stamp: 'a', entries });
  tenant.noteReach(['a'], [1, 2]);
  expect(tenant.isHeld(['a'])).toBe(true);
  for (const elsewhere of [described.ofTenant('u', 1), described.ofTenant('t', 400)]) {
    expect(elsewhere.isHeld(['a'])).toBe(false);
  }
  for (const id of [3, 4]) tenant.hold(id, { stamp: 'a', entries });
  expect(tenant.isHeld(['a'])).toBe(false);
});

it('stays within a bound, and is let go of when something is removed', () => {
  const described = new PostgresDescribed(2000);
  const { lexemes } = { lexemes: 'leek soup' };
  const entries = new Map([[1, { seq: 1, stamp: '7', lexemes, expiresAt: null, entry: { ...CANDIDATE } }]]);
  const before = described.ofTenant('t', 1);
  before.hold(1, { stamp: 'a', entries });
  before.hold(2, { stamp: 'b', entries });
  expect(described.size).toBeLessThanOrEqual(2000);
  expect(before.find(2)?.stamp).toBe('b');
  expect(described.ofTenant('another', 1).find(2)).toBeUndefined();
  described.forget('another');
  before.hold(2, { stamp: 'b', entries });
  described.forget('t', new Set(['x']));
  expect(before.find(2)?.entries.size).toBe(0);
  described.forget('t');
  expect(described.size).toBe(0);
  // What was read before the removal may have what was removed.
  before.hold(2, { stamp: 'b', entries });
  expect(described.size).toBe(0);
});

const CANDIDATE = {
  id: 'x',
  layer: 'user',
  contentHash: 'y',
  importance: 0,
  confidence: 0,
  since: 0,
  length: 2,
} as const;
