/** Searching large partitions by codes: as good as comparing every vector, and as current as the file. */

import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Entry } from '../src/domain/entry.ts';
import { readMigrations } from '../src/engines/sql/migrations.ts';
import { SqliteCodeCache } from '../src/engines/sqlite/sqlite-code-cache.ts';
import {
  CODE_BITS,
  CODE_LANES,
  CodeKernel,
  QUERY_STEPS,
  TABLE_BYTES,
} from '../src/engines/sqlite/sqlite-code-kernel.ts';
import { tablesOf } from '../src/engines/sqlite/sqlite-code-query.ts';
import { CodeRanking } from '../src/engines/sqlite/sqlite-code-ranking.ts';
import { CodedPartition } from '../src/engines/sqlite/sqlite-coded-partition.ts';
import { SqliteCodes } from '../src/engines/sqlite/sqlite-codes.ts';
import { SqliteConnection } from '../src/engines/sqlite/sqlite-connection.ts';
import { SqliteEngine } from '../src/engines/sqlite/sqlite-engine.ts';
import { SqliteEntryTransaction } from '../src/engines/sqlite/sqlite-entry-transaction.ts';
import { migrate } from '../src/engines/sqlite/sqlite-migrations.ts';
import { SqliteRecall } from '../src/engines/sqlite/sqlite-recall.ts';
import { SqliteDescribedCache } from '../src/engines/sqlite/sqlite-described.ts';
import { SqliteFoldThread } from '../src/engines/sqlite/sqlite-fold-thread.ts';
import { SqliteTenant } from '../src/engines/sqlite/sqlite-tenant.ts';
import type { Embedding, EntryWrite, Reach } from '../src/ports/entry-store.ts';
import { engineContract } from '../src/testing/engine-contract.ts';
import { TENANT } from '../src/testing/engine-subject.ts';
import { entryOf, nextVersion, partitionOfEntry } from '../src/testing/entry-write.ts';
import { ManualClock } from '../src/testing/manual-clock.ts';
import { SeededRandom } from '../src/testing/seeded-random.ts';
import { makeFolder, removeFolder, tracesIn } from './sqlite-folder.ts';
import { sqliteSubject } from './sqlite-subject.ts';

engineContract({ describe, it }, 'SQLite with codes for every partition', sqliteSubject({ codes: { minEntries: 1 } }));

const SPACE = { model: 'test:random', dimensions: 128 };
const CODE_BYTES = (CODE_BITS * SPACE.dimensions) / 8;
const PARTITION = partitionOfEntry(entryOf({ content: 'x' }));
const clock = new ManualClock();

let folder: string;
let opened: SqliteConnection[];

beforeEach(async () => {
  folder = await makeFolder();
  opened = [];
});

afterEach(async () => {
  for (const connection of opened) if (connection.db.open) connection.close();
  await removeFolder(folder);
});

function open(readonly = false): SqliteConnection {
  const connection = new SqliteConnection(join(folder, 'codes.db'), { readonly });
  opened.push(connection);
  if (!readonly) migrate(connection.db, readMigrations('sqlite'), 0);
  return connection;
}

/** For partitions of any size. */
function codesOver(reading: SqliteConnection, minEntries = 1): SqliteCodes {
  return new SqliteCodes(new SqliteCodeCache({ minEntries }), reading);
}

/** Gives codes to partitions of any size. */
function transactionOn(connection: SqliteConnection, minEntries?: number): SqliteEntryTransaction {
  return new SqliteEntryTransaction(connection, clock, 'u', () => {}, codesOver(connection, minEntries));
}

/** In a random direction, or near to another. */
function embedding(random: SeededRandom, near?: Embedding): Embedding {
  const values = Float32Array.from({ length: SPACE.dimensions }, (_, index) => {
    const value = random.next() + random.next() + random.next() - 1.5;
    return near ? 10 * (near.vector[index] ?? 0) + value : value;
  });
  const length = Math.hypot(...values);
  return { space: SPACE, vector: values.map((value) => value / length) };
}

function writeOf(entry: Entry, vector: Embedding | undefined): EntryWrite {
  return { entry, partition: partitionOfEntry(entry), lexemes: [entry.content], embedding: vector };
}

/** Entries of which two in three have company: vectors of real texts lie in clusters. */
function someWrites(random: SeededRandom, count: number): EntryWrite[] {
  const centres = Array.from({ length: 20 }, () => embedding(random));
  return Array.from({ length: count }, (_, index) => {
    const near = index % 3 === 0 ? undefined : random.pick(centres);
    const entry = entryOf({
      content: `content ${index} ${random.word()}`,
      tags: [['red', 'green', 'blue'][random.below(3)] ?? ''],
      metadata: { tenth: random.below(10), hundredth: random.below(100) },
    });
    return writeOf(entry, embedding(random, near));
  });
}

async function insert(connection: SqliteConnection, writes: readonly EntryWrite[], minEntries?: number): Promise<void> {
  connection.db.exec('BEGIN');
  await transactionOn(connection, minEntries).insert(writes);
  connection.db.exec('COMMIT');
}

/** What a table says of the lower or the upper four bits of a byte. */
const saidOf = (tables: Uint8Array, table: number, bits: number): number => Number(tables[table * TABLE_BYTES + bits]);

describe('the kernel', () => {
  it.each([64, 128, 384, 1536, 3072, 4096])('adds up as one would by hand, in %i dimensions', (dimensions) => {
    const random = new SeededRandom(dimensions);
    const bytes = dimensions / 8;
    const codeBytes = CODE_BITS * bytes;
    const kernel = new CodeKernel(codeBytes);
    for (const count of [0, 1, 511, 512, 513, 1100]) {
      const codes = Uint8Array.from({ length: count * codeBytes }, () => random.below(256));
      const tables = Uint8Array.from({ length: (dimensions / 4) * TABLE_BYTES }, () =>
        random.below(4 * QUERY_STEPS + 1),
      );
      const byHand = Array.from({ length: count }, (_, index) =>
        codes.subarray(index * codeBytes, (index + 1) * codeBytes).reduce((sum, byte, place) => {
          const table = 2 * (place % bytes);
          return sum + saidOf(tables, table, byte & 15) + saidOf(tables, table + 1, byte >> 4);
        }, 0),
      );
      const held = new CodedPartition({ bytes: codeBytes, lanes: CODE_LANES });
      held.append(
        Array.from({ length: count }, (_, index) => index + 1),
        codes,
      );
      const distances = new Uint32Array(count);
      kernel.score(held.codes, tables, distances);
      expect(Array.from(distances)).toEqual(byHand);
    }
  });

  it('says of each way to set four bits how far it is from the values', () => {
    // With these, the highest step is a value of 2.6 deviations, and the deviation is 1.
    const vector = Float32Array.from({ length: 64 }, (_, index) => (index % 2 === 0 ? 1 : -1));
    const [above, below] = [10, 5];
    const tables = tablesOf(vector);
    expect(saidOf(tables, 0, 0b0000)).toBe(2 * above + 2 * below);
    expect(saidOf(tables, 0, 0b0101)).toBe(4 * below);
    expect(saidOf(tables, 15, 0b1010)).toBe(4 * above);
    expect(saidOf(tables, 15, 0b0001)).toBe(3 * below + above);
  });

  it('finds codes the nearer, the more alike the vectors are', async () => {
    const random = new SeededRandom(7);
    const connection = open();
    const query = embedding(random);
    const others = [query, embedding(random, query), embedding(random)];
    await insert(
      connection,
      others.map((other, index) => writeOf(entryOf({ content: `${index}` }), other)),
    );
    const kernel = new CodeKernel(CODE_BYTES);
    const distances = new Uint32Array(3);
    kernel.score(codesOver(connection).partition(1, 1, CODE_BYTES).codes, tablesOf(query.vector), distances);
    expect(new Set(distances).size).toBe(3);
    expect(distances).toEqual(distances.toSorted((a, b) => a - b));
  });
});

it('a ranking gives out everything once, the nearest first', () => {
  const random = new SeededRandom(3);
  const distances = Uint32Array.from({ length: 1000 }, () => random.below(50) * 3);
  const ranking = new CodeRanking(distances, 150);
  const given: number[] = [];
  while (ranking.next !== undefined) {
    const { next } = ranking;
    const block = ranking.take(1 + random.below(100));
    expect(Math.min(...block.map((index) => ranking.distanceOf(index)))).toBe(next);
    given.push(...block);
  }
  expect(given.toSorted((a, b) => a - b)).toEqual(Array.from(distances.keys()));
});

describe('what is found', () => {
  const FILTERS: Omit<Reach, 'partitions'>[] = [
    {},
    { filter: { tags: ['red', 'green'] } },
    { filter: { tags: ['blue'], custom: { tenth: 3 } } },
    { filter: { custom: { hundredth: 42 } } },
    { filter: { sourceType: 'manual' } },
  ];

  async function recall(count: number, minEntries: number): Promise<{ recall: number; isByCodes: boolean }> {
    const random = new SeededRandom(count);
    const connection = open();
    await insert(connection, someWrites(random, count));
    const cache = new SqliteCodeCache({ minEntries });
    const fast = new SqliteRecall(connection, clock, new SqliteCodes(cache, connection));
    const exact = new SqliteRecall(connection, clock);
    const shares: number[] = [];
    for (const conditions of FILTERS) {
      for (let query = 0; query < 12; query += 1) {
        const asked = embedding(random);
        for (const limit of [10, 60]) {
          const reach = { partitions: [PARTITION], ...conditions };
          const expected = exact.nearest(reach, asked, limit);
          const found = fast.nearest(reach, asked, limit);
          expect(found).toHaveLength(expected.length);
          const ids = new Set(found.slice(0, 10).map(({ id }) => id));
          const ten = expected.slice(0, 10);
          if (ten.length > 0) shares.push(ten.filter(({ id }) => ids.has(id)).length / ten.length);
        }
      }
    }
    return { recall: shares.reduce((sum, share) => sum + share, 0) / shares.length, isByCodes: cache.size > 0 };
  }

  it('holds 99 of 100 of the ten nearest, with any filter', { timeout: 60_000 }, async () => {
    const { recall: share, isByCodes } = await recall(6000, 2048);
    expect(isByCodes).toBe(true);
    expect(share).toBeGreaterThanOrEqual(0.99);
  });

  it('is exact in small partitions, without codes', { timeout: 60_000 }, async () => {
    expect(await recall(2000, 2048)).toEqual({ recall: 1, isByCodes: false });
  });

  it('comes from large and small partitions alike', async () => {
    const random = new SeededRandom(5);
    const connection = open();
    const large = someWrites(random, 200);
    const small = someWrites(random, 50).map(({ entry, embedding: vector }) =>
      writeOf({ ...entry, identifiers: { projectId: 'small' } }, vector),
    );
    await insert(connection, [...large, ...small]);
    const codes = new SqliteCodes(new SqliteCodeCache({ minEntries: 100 }), connection);
    const partitions = [PARTITION, ...small.slice(0, 1).map(({ partition }) => partition)];
    for (let query = 0; query < 10; query += 1) {
      const asked = embedding(random);
      const found = new SqliteRecall(connection, clock, codes).nearest({ partitions }, asked, 100);
      expect(found).toEqual(new SqliteRecall(connection, clock).nearest({ partitions }, asked, 100));
    }
  });

  it('is compared exactly where vectors do not fill whole words', async () => {
    const connection = open();
    const vector = Float32Array.from({ length: 100 }, (_, index) => Math.sin(index));
    const odd = { space: { model: 'odd', dimensions: 100 }, vector };
    await insert(connection, [writeOf(entryOf({ content: 'odd' }), odd)]);
    const codes = codesOver(connection);
    expect(new SqliteRecall(connection, clock, codes).nearest({ partitions: [PARTITION] }, odd, 5)).toHaveLength(1);
    expect(connection.all('SELECT * FROM embedding_codes')).toEqual([]);
  });
});

/** What the file holds of the codes of a partition. */
function storedCodes(connection: SqliteConnection, partitionId: number): Map<number, string> {
  const rows = connection.all<{ seq: number; code: Buffer }>(
    'SELECT seq, code FROM embedding_codes WHERE space_id = 1 AND partition_id = ?',
    partitionId,
  );
  return new Map(rows.map(({ seq, code }) => [seq, code.toString('hex')]));
}

/** A code, as memory holds it: byte by byte among those of its group. */
function codeIn({ codes }: CodedPartition, index: number): string {
  const lane = index % CODE_LANES;
  const bytes = Array.from(
    { length: CODE_BYTES },
    (_, byte) => codes[(index - lane) * CODE_BYTES + byte * CODE_LANES + lane],
  );
  return Buffer.from(bytes.map(Number)).toString('hex');
}

const isBlank = (code: string): boolean => /^0*$/.test(code);

/** What memory holds of them; removed ones are nothing but zeros. */
function heldCodes(codes: SqliteCodes, partitionId: number): Map<number, string> {
  const held = codes.partition(1, partitionId, CODE_BYTES);
  const all = Array.from({ length: held.length }, (_, index): [number, string] => [
    held.seqAt(index),
    codeIn(held, index),
  ]);
  return new Map(all.filter(([, code]) => !isBlank(code)));
}

function partitionIds(connection: SqliteConnection): number[] {
  return connection.all<{ id: number }>('SELECT id FROM partitions').map(({ id }) => id);
}

const CODES = `
  SELECT v.space_id, v.partition_id, v.seq,
    CAST(vec_quantize_binary(vec_add(v.vector, s.step)) || vec_quantize_binary(vec_sub(v.vector, s.step)) AS BLOB)
  FROM embeddings v JOIN embedding_spaces s ON s.id = v.space_id JOIN partitions p ON p.id = v.partition_id AND p.is_coded`;
const STRAY_CODES = `SELECT space_id, partition_id, seq, code FROM embedding_codes EXCEPT ${CODES}`;
const MISSING_CODES = `${CODES} EXCEPT SELECT space_id, partition_id, seq, code FROM embedding_codes`;

const UNCODED = 'SELECT id FROM partitions WHERE NOT is_coded AND entry_count >= ?';

/** From so many entries on a partition has codes. */
const LARGE = 8;

/** One random change: new entries, another text, another place, or gone. */
async function change(tx: SqliteEntryTransaction, random: SeededRandom, living: Entry[]): Promise<void> {
  const index = random.below(living.length + 3);
  const entry = living[index];
  if (entry === undefined) {
    const writes = someWrites(random, 1 + random.below(5));
    living.push(...writes.map((write) => write.entry));
    return tx.insert(writes);
  }
  const choice = random.below(3);
  if (choice === 0) {
    living.splice(index, 1);
    await tx.remove([entry.id]);
    return;
  }
  const projectId = choice === 1 ? entry.identifiers.projectId : random.pick(['p', 'q']);
  const next = nextVersion(entry, { content: random.words(2), identifiers: { ...entry.identifiers, projectId } });
  living[index] = next;
  await tx.replace([writeOf(next, random.below(2) === 0 ? embedding(random) : undefined)]);
}

describe('codes in memory', () => {
  it.each([1, 2, 3])('are those of the file, whoever wrote them (seed %i)', async (seed) => {
    const random = new SeededRandom(seed);
    const writing = open();
    const [one, other] = [open(true), open(true)];
    const [first, second] = [codesOver(one), codesOver(other)];
    const living: Entry[] = [];
    for (let round = 0; round < 150; round += 1) {
      writing.db.exec('BEGIN');
      const before = [...living];
      const tx = transactionOn(writing, LARGE);
      for (let times = random.below(4); times >= 0; times -= 1) await change(tx, random, living);
      const isUndone = random.below(5) === 0;
      if (isUndone) living.splice(0, living.length, ...before);
      // In between somebody looks, and must not see or keep what is not committed.
      for (const id of partitionIds(one)) expect(heldCodes(first, id)).toEqual(storedCodes(one, id));
      writing.db.exec(isUndone ? 'ROLLBACK' : 'COMMIT');
      expect(writing.all(STRAY_CODES)).toEqual([]);
      expect(writing.all(MISSING_CODES)).toEqual([]);
      expect(writing.all(UNCODED, LARGE)).toEqual([]);
      for (const each of random.below(2) === 0 ? [first] : [first, second]) {
        for (const id of partitionIds(one)) expect(heldCodes(each, id)).toEqual(storedCodes(one, id));
      }
    }
    expect(living.length).toBeGreaterThan(20);
    expect(storedCodes(writing, 1).size).toBeGreaterThan(LARGE);
  });

  it('come back with an entry that went elsewhere meanwhile, also the newest', async () => {
    const random = new SeededRandom(2);
    const writing = open();
    const writes = someWrites(random, 12);
    await insert(writing, writes);
    const codes = codesOver(open(true));
    for (const { entry: original } of writes.slice(-3).toReversed()) {
      let entry = original;
      for (const projectId of ['q', 'p', 'q', 'p']) {
        entry = nextVersion(entry, { identifiers: { projectId } });
        await transactionOn(writing).replace([writeOf(entry, embedding(random))]);
        for (const id of partitionIds(writing)) expect(heldCodes(codes, id)).toEqual(storedCodes(writing, id));
      }
    }
    expect(heldCodes(codes, 1).size).toBe(12);
  });

  it('are read again when more has changed than the file remembers', async () => {
    const random = new SeededRandom(9);
    const writing = open();
    await insert(writing, someWrites(random, 4300));
    const codes = codesOver(open(true));
    expect(heldCodes(codes, 1).size).toBe(4300);
    writing.run('DELETE FROM entries WHERE seq % 43 <> 0');
    expect(heldCodes(codes, 1)).toEqual(storedCodes(writing, 1));
    expect(codes.partition(1, 1, CODE_BYTES)).toHaveLength(100);
    expect(writing.first<{ count: number }>('SELECT count(*) AS count FROM code_changes')?.count).toBe(4096);
  });

  it('take no more room than they may, all together', async () => {
    const random = new SeededRandom(4);
    const writing = open();
    const writes = someWrites(random, 300).map(({ entry, embedding: vector }, index) =>
      writeOf({ ...entry, identifiers: { projectId: `p${index % 3}` } }, vector),
    );
    await insert(writing, writes);
    const cache = new SqliteCodeCache({ minEntries: 1, maxBytes: 5000 });
    const codes = new SqliteCodes(cache, writing);
    for (const id of partitionIds(writing)) {
      expect(heldCodes(codes, id)).toEqual(storedCodes(writing, id));
      expect(cache.size).toBeGreaterThan(0);
      expect(cache.size).toBeLessThanOrEqual(5000);
    }
  });

  it('go with the entry, the user and the tenant', async () => {
    const random = new SeededRandom(6);
    const cache = new SqliteCodeCache({ minEntries: 1 });
    const make = (): SqliteTenant =>
      new SqliteTenant(join(folder, 'codes.db'), readMigrations('sqlite'), new ManualClock(), {
        codes: cache,
        described: new SqliteDescribedCache(),
        folds: new SqliteFoldThread(),
      });
    let tenant = make();
    const writes = someWrites(random, 50);
    await tenant.transaction('u', (tx) => tx.insert(writes));
    const ask = (): unknown => tenant.recall.nearest({ partitions: [PARTITION] }, embedding(random), 5);
    ask();
    const held = cache.get('codes', '1:codes:1:1');
    const blank = (): number => writes.filter((_, index) => held && isBlank(codeIn(held, index))).length;
    expect(blank()).toBe(0);
    await tenant.transaction('u', (tx) => tx.remove(writes.slice(0, 3).map(({ entry }) => entry.id)));
    expect(blank()).toBe(3);
    await tenant.writeErasure('u', async () => {});
    expect(cache.size).toBe(0);
    ask();
    expect(cache.size).toBeGreaterThan(0);
    await tenant.close();
    expect(cache.size).toBe(0);
    tenant = make();
    ask();
    expect(cache.size).toBeGreaterThan(0);
    await tenant.erase(() => {});
    expect(cache.size).toBe(0);
  });
});

describe('codes in the file', () => {
  it.each([64, 384, 768, 1024, 1536])('are as sqlite-vec makes them, of %i dimensions', async (dimensions) => {
    const connection = open();
    const step = Math.fround(Number((0.612 / Math.sqrt(dimensions)).toPrecision(9)));
    const edges = [0, -0, step, -step, step * (1 + 2 ** -23), step * (1 - 2 ** -23), 2 ** -149, 1];
    const vector = Float32Array.from({ length: dimensions }, (_, index) => edges[index % edges.length] ?? 0);
    // The first makes the partition one with codes; that of the second is made without SQL.
    for (const content of ['first', 'second']) {
      await insert(connection, [writeOf(entryOf({ content }), { space: { model: 'edges', dimensions }, vector })]);
    }
    expect(connection.all('SELECT * FROM embedding_codes')).toHaveLength(2);
    expect(connection.all(MISSING_CODES)).toEqual([]);
  });

  it('are there from the size on at which they are used, and go with their entries', async () => {
    const connection = open();
    const writes = someWrites(new SeededRandom(12), 2050);
    const counts: number[] = [];
    for (const [from, to] of [
      [0, 2047],
      [2047, 2048],
      [2048, 2050],
    ]) {
      await insert(connection, writes.slice(from, to), 2048);
      counts.push(storedCodes(connection, 1).size);
    }
    expect(counts).toEqual([0, 2048, 2050]);
    expect(connection.all(MISSING_CODES)).toEqual([]);
    const ids = writes.slice(0, 10).map(({ entry }) => entry.id);
    await transactionOn(connection).remove(ids);
    expect(storedCodes(connection, 1).size).toBe(2040);
    expect(connection.all(STRAY_CODES)).toEqual([]);
  });

  it('are made where an earlier version that still has the file open left some', async () => {
    const connection = open();
    const writes = someWrites(new SeededRandom(12), 12);
    await insert(connection, writes.slice(0, 8), 10);
    connection.db.exec(
      'INSERT INTO embedding_codes (space_id, partition_id, seq, code) SELECT space_id, partition_id, seq, zeroblob(1) FROM embeddings',
    );
    await insert(connection, writes.slice(8), 10);
    expect(storedCodes(connection, 1).size).toBe(12);
    expect(connection.all(MISSING_CODES)).toEqual([]);
  });

  it('are made of what was there before there were any, where there is so much that they are used', async () => {
    const random = new SeededRandom(8);
    const elsewhere = someWrites(random, 5).map(({ entry, embedding: vector }) =>
      writeOf({ ...entry, identifiers: { projectId: 'small' } }, vector),
    );
    await insert(open(), [...someWrites(random, 30), ...elsewhere]);
    const connection = new SqliteConnection(join(folder, 'before.db'), { readonly: false });
    opened.push(connection);
    const migrations = readMigrations('sqlite');
    migrate(
      connection.db,
      migrations.filter(({ number }) => ![4, 14, 17].includes(number)),
      0,
    );
    connection.db.exec(`
      ATTACH '${join(folder, 'codes.db')}' AS today;
      INSERT INTO partitions SELECT id, key, layer, iif(id = 1, 2048, 2047), lexeme_count FROM today.partitions;
      INSERT INTO entries SELECT * FROM today.entries;
      INSERT INTO embedding_spaces (id, model, dimensions, created_at)
        SELECT id, model, dimensions, created_at FROM today.embedding_spaces;
      INSERT INTO embeddings SELECT * FROM today.embeddings;
      DETACH today`);
    migrate(connection.db, migrations, 0);
    expect(storedCodes(connection, 1).size).toBe(30);
    expect(storedCodes(connection, 2).size).toBe(0);
    expect(connection.all(MISSING_CODES)).toEqual([]);
    expect(connection.all('SELECT is_coded FROM partitions ORDER BY id')).toEqual([{ is_coded: 1 }, { is_coded: 0 }]);
  });

  it('leave no byte behind when an entry goes', async () => {
    const random = new SeededRandom(10);
    const engine = new SqliteEngine({ folder, clock, codes: { minEntries: 1 } });
    const writes = someWrites(random, 200);
    await engine.entries.transaction(TENANT, (tx) => tx.insert(writes));
    const reading = new SqliteConnection(join(folder, 'tenants', `${TENANT.tenantId}.db`), { readonly: true });
    const codes = reading
      .all<{ code: Buffer }>('SELECT code FROM embedding_codes ORDER BY seq')
      .map(({ code }) => code);
    reading.close();
    const [gone, kept] = [codes.slice(0, 100), codes.slice(100)];
    const ids = writes.slice(0, 100).map(({ entry }) => entry.id);
    await engine.entries.transaction(TENANT, (tx) => tx.remove(ids));
    await engine.close();
    expect(await tracesIn(folder, gone)).toEqual([]);
    expect(await tracesIn(folder, kept)).toHaveLength(100);
  });
});
