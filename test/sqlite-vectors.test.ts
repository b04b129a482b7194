/** Vectors of small partitions in memory: as near as SQL says, as current as the file, whoever writes it, and gone when they are. */

import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Entry } from '../src/domain/entry.ts';
import { readMigrations } from '../src/engines/sql/migrations.ts';
import { SqliteCodeCache, type SqliteCodeOptions } from '../src/engines/sqlite/sqlite-code-cache.ts';
import { SqliteCodes } from '../src/engines/sqlite/sqlite-codes.ts';
import { SqliteConnection } from '../src/engines/sqlite/sqlite-connection.ts';
import { SqliteDescribedCache } from '../src/engines/sqlite/sqlite-described.ts';
import { SqliteEntryTransaction } from '../src/engines/sqlite/sqlite-entry-transaction.ts';
import { migrate } from '../src/engines/sqlite/sqlite-migrations.ts';
import { SqliteRecall } from '../src/engines/sqlite/sqlite-recall.ts';
import { SqliteStandstill } from '../src/engines/sqlite/sqlite-standstill.ts';
import { VectorKernel } from '../src/engines/sqlite/sqlite-vector-kernel.ts';
import type { Candidate, Embedding, EntryWrite } from '../src/ports/entry-store.ts';
import { entryOf, nextVersion, partitionOfEntry } from '../src/testing/entry-write.ts';
import { ManualClock } from '../src/testing/manual-clock.ts';
import { SeededRandom } from '../src/testing/seeded-random.ts';
import { makeFolder, removeFolder } from './sqlite-folder.ts';

const SPACE = { model: 'test:sixty-four', dimensions: 64 };
const clock = new ManualClock();

/** Where SQLite was compiled to multiply and add in one step, the last digits are others. */
const DIGITS = process.arch === 'x64' ? 17 : 5;

let folder: string;
let writing: SqliteConnection;
let reading: SqliteConnection;
let cache: SqliteCodeCache;
let codes: SqliteCodes;
let recall: SqliteRecall;

beforeEach(async () => {
  folder = await makeFolder();
  const file = join(folder, 'vectors.db');
  writing = new SqliteConnection(file, { readonly: false });
  migrate(writing.db, readMigrations('sqlite'), 0);
  reading = new SqliteConnection(file, { readonly: true });
  recall = recallWith({});
});

function recallWith(options: SqliteCodeOptions): SqliteRecall {
  cache = new SqliteCodeCache(options);
  codes = new SqliteCodes(cache, reading);
  const memory = { described: new SqliteDescribedCache().ofTenant(), standstill: new SqliteStandstill(reading) };
  return new SqliteRecall(reading, clock, codes, memory);
}

afterEach(async () => {
  for (const connection of [reading, writing]) connection.close();
  await removeFolder(folder);
});

function embedding(random: SeededRandom): Embedding {
  const values = Float32Array.from({ length: SPACE.dimensions }, () => random.next() - 0.5);
  const length = Math.hypot(...values);
  return { space: SPACE, vector: values.map((value) => value / length) };
}

function writeOf(entry: Entry, vector: Embedding | undefined): EntryWrite {
  return { entry, partition: partitionOfEntry(entry), lexemes: entry.content.split(' '), embedding: vector };
}

function writeOfOne(random: SeededRandom): EntryWrite {
  const expiresAt = random.below(4) === 0 ? new Date(clock.now() + random.below(50)).toISOString() : undefined;
  const entry = entryOf({ content: random.words(3), ...(expiresAt !== undefined && { expiresAt }) });
  return writeOf(entry, random.below(8) === 0 ? undefined : embedding(random));
}

/** As another process would: by another connection. */
async function write(work: (tx: SqliteEntryTransaction) => Promise<unknown> | void, isUndone = false): Promise<void> {
  writing.db.exec('BEGIN');
  await work(new SqliteEntryTransaction(writing, clock, 'u'));
  writing.db.exec(isUndone ? 'ROLLBACK' : 'COMMIT');
}

/** One random change: a new entry, gone, another text, another place, other weights, or spelled in another way. */
async function change(tx: SqliteEntryTransaction, random: SeededRandom, living: EntryWrite[]): Promise<void> {
  const index = random.below(living.length + 6);
  const before = living[index];
  if (before === undefined) {
    const added = writeOfOne(random);
    living.push(added);
    return tx.insert([added]);
  }
  const choice = random.below(5);
  if (choice === 0) {
    living.splice(index, 1);
    await tx.remove([before.entry.id]);
    return;
  }
  const { entry } = before;
  if (choice === 1) {
    const spelled = writeOf({ ...entry, contentHash: random.word() }, undefined);
    living[index] = spelled;
    tx.rewrite([{ ...spelled, embeddings: [] }]);
    return;
  }
  const { identifiers } = entry;
  const next = nextVersion(entry, {
    content: choice === 2 ? random.words(2) : entry.content,
    importance: random.below(10) / 10,
    identifiers: { ...identifiers, ...(choice === 3 && { projectId: random.pick(['p', 'q']) }) },
  });
  living[index] = writeOf(next, choice === 2 ? embedding(random) : undefined);
  await tx.replace([living[index]]);
}

const PARTITIONS = ['p', 'q'].map((projectId) =>
  partitionOfEntry(entryOf({ content: '', identifiers: { projectId } })),
);

/** By searches that take in everything and by some that do not, by meaning, by words and by both. */
function ask(by: SqliteRecall, asked: Embedding): Candidate[][] {
  const newest = reading.all<{ lexemes: string }>('SELECT lexemes FROM entries ORDER BY seq DESC LIMIT 2');
  const terms = newest.flatMap(({ lexemes }) => lexemes.split(' ').map((lexeme) => ({ lexeme, weight: 1 })));
  const probes = [
    { terms: [], embedding: asked, endings: 8 },
    { terms, endings: 8 },
    { terms, embedding: asked, endings: 8 },
  ];
  return probes.flatMap((probe) =>
    [1000, 5].map((limit) =>
      by.candidates({ partitions: PARTITIONS }, probe, limit).toSorted((a, b) => (a.id < b.id ? -1 : 1)),
    ),
  );
}

function vectorsBy(by: SqliteRecall, { space }: Embedding): [string, Float32Array][] {
  const ids = reading.all<{ id: string }>('SELECT id FROM entries').map(({ id }) => id);
  return [...by.vectors(space, ids)].toSorted(([a], [b]) => (a < b ? -1 : 1));
}

function rounded(candidates: readonly Candidate[]): unknown[] {
  return candidates.map((each) => ({ ...each, similarity: each.similarity?.toPrecision(DIGITS) }));
}

/** Nothing is remembered there. */
function expectAsRead(asked: Embedding): void {
  for (const _ of ['at first', 'again']) {
    const plain = new SqliteRecall(reading, clock);
    const [ours, read] = [ask(recall, asked), ask(plain, asked)];
    expect(ours.map(rounded)).toEqual(read.map(rounded));
    expect(vectorsBy(recall, asked)).toEqual(vectorsBy(plain, asked));
  }
}

describe('the kernel for vectors', () => {
  it.each([4, 64, 100, 384])('adds up one after another in 32 bits, in %i dimensions', (dimensions) => {
    const random = new SeededRandom(dimensions);
    const kernel = new VectorKernel(dimensions);
    const query = Float32Array.from({ length: dimensions }, () => random.next() - 0.5);
    const product = (a: Float32Array, b: Float32Array): number =>
      a.reduce((sum, value, index) => Math.fround(sum + Math.fround(value * Number(b[index]))), 0);
    for (const count of [0, 1, 7, 8, 9, 64, 65, 130]) {
      const vectors = Float32Array.from({ length: count * dimensions }, () => random.next() - 0.5);
      const each = Array.from({ length: count }, (_, index) =>
        vectors.subarray(index * dimensions, (index + 1) * dimensions),
      );
      expect([...kernel.products(vectors, count, query)]).toEqual(each.map((vector) => product(vector, query)));
      expect([...kernel.squares(vectors, count)]).toEqual(each.map((vector) => product(vector, vector)));
    }
  });
});

describe('vectors in memory', () => {
  it.each([
    { seed: 1, options: {} },
    { seed: 2, options: {} },
    // Of all partitions also the codes, and then too little room for vectors.
    { seed: 3, options: { minEntries: 1 } },
    { seed: 4, options: { minEntries: 1, maxBytes: 5000, maxVectorBytes: 5000 } },
  ])('say what SQL says, after every write of anybody (seed $seed)', async ({ seed, options }) => {
    const random = new SeededRandom(seed);
    recall = recallWith(options);
    const living: EntryWrite[] = [];
    for (let round = 0; round < 40; round += 1) {
      const before = [...living];
      const isUndone = random.below(5) === 0;
      await write(async (tx) => {
        for (let times = random.below(4); times >= 0; times -= 1) await change(tx, random, living);
        // In between somebody looks, and must not see or keep what is not committed.
        expectAsRead(embedding(random));
      }, isUndone);
      if (isUndone) living.splice(0, living.length, ...before);
      if (random.below(3) > 0) expectAsRead(embedding(random));
      clock.advance(random.below(5));
      expectAsRead(embedding(random));
    }
    expect(living.length).toBeGreaterThan(5);
    expect(cache.size).toBeGreaterThan(0);
  });

  it('know when so much has happened that not all of it can be looked up', async () => {
    const random = new SeededRandom(4);
    const writes = Array.from({ length: 5 }, () => writeOf(entryOf({ content: random.words(3) }), embedding(random)));
    await write((tx) => tx.insert(writes));
    expectAsRead(embedding(random));
    for (const { entry } of writes) {
      for (let version = entry, times = 0; times < 3; times += 1) {
        version = nextVersion(version, { importance: random.below(100) / 100 });
        const next = version;
        await write((tx) => tx.replace([writeOf(next, undefined)]));
      }
    }
    expectAsRead(embedding(random));
  });

  it('leave to SQL what has no direction', async () => {
    const random = new SeededRandom(5);
    const none = { space: SPACE, vector: new Float32Array(SPACE.dimensions) };
    await write((tx) =>
      tx.insert([writeOf(entryOf({ content: 'a' }), none), writeOf(entryOf({ content: 'b' }), embedding(random))]),
    );
    expectAsRead(embedding(random));
    expect(ask(recall, embedding(random))[0]?.map(({ similarity }) => similarity === undefined)).toContain(true);
  });

  it('are nothing but zeros once the entry is gone', async () => {
    const random = new SeededRandom(6);
    const [kept, gone] = [entryOf({ content: 'kept' }), entryOf({ content: 'gone' })];
    await write((tx) => tx.insert([kept, gone].map((entry) => writeOf(entry, embedding(random)))));
    ask(recall, embedding(random));
    await write((tx) => tx.remove([gone.id]));
    codes.letGo();
    const held = codes.held(1, 1, 'vectors');
    const vectors = [0, 1].map((index) => held?.codes.subarray(index * 256, (index + 1) * 256));
    expect(vectors.map((vector) => vector?.every((byte) => byte === 0))).toEqual([false, true]);
    codes.forget();
    expect(cache.size).toBe(0);
  });
});
