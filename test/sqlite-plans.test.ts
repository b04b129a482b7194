/** How SQLite answers: by indexes, within the partitions that were asked for, and never by going through a table. */

import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { MetadataFilter } from '../src/domain/filter.ts';
import { poolNamespace, SESSION_PREFIX, sessionNamespace } from '../src/domain/namespace.ts';
import { NIL_TENANT } from '../src/domain/principal.ts';
import { SqliteCodeCache } from '../src/engines/sqlite/sqlite-code-cache.ts';
import { SqliteCodes } from '../src/engines/sqlite/sqlite-codes.ts';
import { SqliteConnection } from '../src/engines/sqlite/sqlite-connection.ts';
import { SqliteDescribedCache } from '../src/engines/sqlite/sqlite-described.ts';
import { SqliteEntryReader } from '../src/engines/sqlite/sqlite-entry-reader.ts';
import { SqliteEntryTransaction } from '../src/engines/sqlite/sqlite-entry-transaction.ts';
import { SqliteEventLog } from '../src/engines/sqlite/sqlite-event-log.ts';
import { readMigrations } from '../src/engines/sql/migrations.ts';
import { RecordStatements, type Statement } from '../src/engines/sql/record-statements.ts';
import {
  CONTEXT_ACCESSES,
  CONTEXT_SNAPSHOTS,
  CONTEXTS,
  MAINTENANCE_RUNS,
  POOLS,
} from '../src/engines/sql/record-tables.ts';
import { writing, type Decide } from '../src/engines/sql/state-change.ts';
import { migrate } from '../src/engines/sqlite/sqlite-migrations.ts';
import { SqliteRecall } from '../src/engines/sqlite/sqlite-recall.ts';
import { boundValues, SQLITE_RECORDS } from '../src/engines/sqlite/sqlite-record-dialect.ts';
import { SqliteStandstill } from '../src/engines/sqlite/sqlite-standstill.ts';
import { SqliteState } from '../src/engines/sqlite/sqlite-state.ts';
import { tallyOf } from '../src/engines/sqlite/sqlite-tally.ts';
import type { StateCommits } from '../src/engines/sqlite/sqlite-state-writer.ts';
import type { SqliteTenants } from '../src/engines/sqlite/sqlite-tenants.ts';
import { SqliteUpkeep } from '../src/engines/sqlite/sqlite-upkeep.ts';
import { embeddingOf, entryOf, nextVersion, partitionOfEntry, writeOf } from '../src/testing/entry-write.ts';
import { ManualClock } from '../src/testing/manual-clock.ts';
import { makeFolder, removeFolder } from './sqlite-folder.ts';

/** `SCAN e` and the like. Going through an index in order or through a list that was bound is no such scan. */
const TABLE_SCAN =
  /^SCAN (e|v|p|entries|embeddings|embedding_codes|code_changes|entry_versions|partitions|embedding_spaces|events|state)\b|^SCAN r\b(?! USING INDEX)/;

const FILTER: MetadataFilter = {
  tags: ['t'],
  sourceType: 'manual',
  hasKnowledgePointer: false,
  custom: { a: 'x', b: 1, c: true, d: null, e: { f: 1 } },
};

const PRINCIPAL = { tenantId: NIL_TENANT, userId: 'u' };

let folder: string;
let connection: SqliteConnection;
let prepare: SqliteConnection['db']['prepare'];
const clock = new ManualClock();
const statements = new Set<string>();

beforeEach(async () => {
  folder = await makeFolder();
  connection = new SqliteConnection(join(folder, 'plans.db'), { readonly: false });
  migrate(connection.db, readMigrations('sqlite'), clock.now());
  statements.clear();
  prepare = connection.db.prepare.bind(connection.db);
  Object.assign(connection.db, {
    prepare: (sql: string) => {
      statements.add(sql);
      return prepare(sql);
    },
  });
});

afterEach(async () => {
  connection.close();
  await removeFolder(folder);
});

interface Step {
  readonly sql: string;
  readonly detail: string;
}

/** Every step of every plan of the statements that were used. */
function steps(): Step[] {
  return [...statements].flatMap((sql) =>
    prepare<unknown[], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`)
      .all(...Array.from(sql.matchAll(/\?/g), () => null))
      .map(({ detail }) => ({ sql, detail })),
  );
}

async function useEverything(): Promise<void> {
  const entry = entryOf({ content: 'one two three', externalId: 'x' });
  const partitions = [partitionOfEntry(entry)];
  const tx = new SqliteEntryTransaction(connection, clock, 'actor');
  await tx.insert([await writeOf(entry)]);
  await tx.replace([await writeOf(nextVersion(entry, { content: 'one two four' }))]);
  const reader = new SqliteEntryReader(connection, clock);
  const codes = new SqliteCodes(new SqliteCodeCache({ minEntries: 1 }), connection);
  const embedding = await embeddingOf('one');
  const terms = ['one', 'two'].map((lexeme) => ({ lexeme, weight: 1 }));
  const position = { createdAt: clock.now(), id: entry.id };
  const recall = new SqliteRecall(connection, clock);
  const coded = new SqliteRecall(connection, clock, codes);
  const memory = { described: new SqliteDescribedCache().ofTenant(), standstill: new SqliteStandstill(connection) };
  const remembering = [new SqliteCodes(new SqliteCodeCache(), connection), codes].map(
    (held) => new SqliteRecall(connection, clock, held, memory),
  );
  const remember = (): void => {
    for (const each of remembering) {
      each.candidates({ partitions }, { terms, embedding }, 10);
      each.nearest({ partitions }, embedding, 10);
    }
  };
  remember();
  await tx.replace([await writeOf(nextVersion(nextVersion(entry, {}), { content: 'one two five' }))]);
  remember();
  for (const filter of [undefined, FILTER]) {
    for (const each of [recall, coded]) {
      each.candidates({ partitions, filter }, { terms, embedding }, 10);
      each.nearest({ partitions, filter }, embedding, 10);
    }
    recall.candidates({ partitions, filter }, { terms, embedding, near: [entry.id] }, 10);
    for (const at of [undefined, position]) reader.list({ partitions, filter }, 10, at);
    reader.count({ partitions, filter });
  }
  for (const each of [recall, coded]) each.candidates({ partitions, asOf: 1 }, { terms, embedding }, 10);
  reader.list({ partitions, asOf: 1, createdBefore: 2 }, 10, position);
  reader.count({ partitions, asOf: 1 });
  reader.changed(partitions, 1, 10);
  recall.textStatistics(partitions, ['one', 'two']);
  recall.vectors(embedding.space, [entry.id]);
  reader.find([entry.id]);
  const [partition] = partitions;
  if (partition) reader.findSame([{ id: 'none', partition, ownerId: null, externalId: 'none', contentHash: 'none' }]);
  if (partition) reader.findSame([{ partition, ownerId: null, contentHash: 'none' }]);
  reader.history(entry.id);
  // What forgetting selects when no scope is named.
  for (const at of [undefined, position]) {
    reader.list({ ids: [entry.id] }, 10, at);
    reader.list({ ownerId: 'u', createdBefore: 1, filter: FILTER }, 10, at);
  }
  await tx.remove([entry.id]);
  codes.aheadIn(connection, 1, 1, codes.partition(1, 1, 8));
}

/** Working and short-term memory, and what happens in pools. */
async function useState(): Promise<void> {
  const commits: StateCommits = {
    write: async (work, committed) => {
      // What arrives together goes together: nothing begins at once.
      await Promise.resolve();
      const value = work(connection);
      committed?.(value);
      return value;
    },
    enter: () => () => {},
  };
  const state = new SqliteState(() => true, connection, commits, clock);
  const [session, pool] = [sessionNamespace('u', 'a', 's'), poolNamespace('p')];
  const setting = (expiresAt: number | null): Decide =>
    writing('k', { mutation: { type: 'set', value: 1 }, maxBytes: 9, expiresAt });
  for (const namespace of [session, pool]) {
    await state.write('u', namespace, 'k', setting(clock.now() + 1));
    state.touch(namespace, 'k', { accesses: 1, ms: 1 });
    state.get(namespace, 'k');
    state.list(namespace, 10, '');
    await state.measure(namespace);
    await state.frequent(SESSION_PREFIX, 1, 10, { namespace, key: '' });
    await state.write('u', namespace, 'k', setting(null));
    await state.remove(namespace, 'k', undefined);
    await state.clear(namespace);
  }
  await state.sweep();
  const tenants = { read: async (_: unknown, read: (tenant: unknown) => unknown) => read({ connection }) };
  const events = new SqliteEventLog(tenants as unknown as SqliteTenants);
  const { position } = await events.readPool(PRINCIPAL, 'p', undefined, 10);
  await events.readPool(PRINCIPAL, 'p', position, 10);
  await events.read(PRINCIPAL, position, 10);
  const upkeep = new SqliteUpkeep(tenants as unknown as SqliteTenants, events);
  await upkeep.removeExpired(NIL_TENANT, clock.now(), 10);
  const { space } = await embeddingOf('any');
  await upkeep.changes(NIL_TENANT, position, 10);
  await upkeep.points(NIL_TENANT, space, ['any']);
  await upkeep.countPoints(NIL_TENANT, space);
}

/** What the use cases ask of records that have members, and of those that belong to a context or to nobody. */
function useRecords(): void {
  const run = ({ sql, values }: Statement): unknown => connection.all(sql, ...boundValues({ sql, values }));
  const after = { at: new Date(clock.now()).toISOString(), key: 'k' };
  const pools = new RecordStatements(POOLS, SQLITE_RECORDS);
  const shared = [pools, new RecordStatements(CONTEXTS, SQLITE_RECORDS)] as const;
  for (const each of shared) {
    run(each.select(PRINCIPAL, 'k'));
    run(each.selectToChange(PRINCIPAL, 'k'));
    run(each.list(PRINCIPAL, { where: {}, limit: 10 }));
    run(each.list(PRINCIPAL, { where: { scope: ['team', 'agent'] }, limit: 10, after }));
  }
  run(pools.list(PRINCIPAL, { where: { workflowRunId: ['w'] }, limit: 10 }));
  for (const each of [
    new RecordStatements(CONTEXT_SNAPSHOTS, SQLITE_RECORDS),
    new RecordStatements(CONTEXT_ACCESSES, SQLITE_RECORDS),
  ] as const) {
    run(each.list(PRINCIPAL, { where: { contextId: ['c'] }, limit: 10, after }));
    run(each.selectKeys(PRINCIPAL, { contextId: ['c'] }));
  }
  const runs = new RecordStatements(MAINTENANCE_RUNS, SQLITE_RECORDS);
  run(runs.list(PRINCIPAL, { where: {}, limit: 10, after }));
  run(runs.list(PRINCIPAL, { where: { job: ['expiry', 'integrity'] }, limit: 10 }));
}

describe('query plans', () => {
  it('go through no table from end to end', async () => {
    await useEverything();
    await useState();
    useRecords();
    expect(statements.size).toBeGreaterThan(50);
    expect(steps().filter(({ detail }) => TABLE_SCAN.test(detail))).toEqual([]);
  });

  it('read records in the order in which they are given, and sort no more than their pages', () => {
    useRecords();
    const sorted = steps().filter(({ detail }) => /TEMP B-TREE/.test(detail));
    // The pages of a list are merged; each of them comes sorted.
    expect(sorted.filter(({ sql }) => !/UNION ALL/.test(sql))).toEqual([]);
    const used = new Set(steps().flatMap(({ detail }) => /USING INDEX (\w+)/.exec(detail)?.[1] ?? []));
    for (const index of ['pools_page', 'pools_shared', 'pools_workflow', 'contexts_page', 'contexts_shared']) {
      expect(used).toContain(index);
    }
    for (const index of ['context_snapshots_page', 'context_accesses_page', 'maintenance_runs_job']) {
      expect(used).toContain(index);
    }
  });

  it('find what has expired, what is read often and what happened in a pool by an index', async () => {
    await useEverything();
    await useState();
    const plansOf = (part: RegExp): string[] => steps().flatMap(({ sql, detail }) => (part.test(sql) ? [detail] : []));
    expect(plansOf(/DELETE FROM state WHERE \(namespace, key\) IN/).join('\n')).toMatch(/INDEX state_end/);
    expect(plansOf(/access_count > 0/).join('\n')).toMatch(/INDEX state_frequent \(namespace>\?/);
    expect(plansOf(/WHERE pool_id = \?/).join('\n')).toMatch(/INDEX events_pool \(pool_id=\? AND seq>\?/);
    expect(plansOf(/FROM entries WHERE expires_at <= \?/).join('\n')).toMatch(/INDEX entries_expiry/);
  });

  it('count what has expired by the index of what expires, and what is new by one that has all it takes', () => {
    for (const userId of ['u', undefined]) tallyOf(connection, { userId, since: 1, now: clock.now() });
    const counted = steps().flatMap(({ sql, detail }) => (/isInContext/.test(sql) ? [detail] : []));
    const ofEntries = new Set(counted.filter((detail) => /^(SCAN|SEARCH) e\b/.test(detail)));
    expect([...ofEntries].toSorted()).toEqual([
      'SEARCH e USING COVERING INDEX entries_page (partition_id=? AND created_at>?)',
      'SEARCH e USING INDEX entries_expiry (expires_at<?)',
    ]);
  });

  it('find what was changed since a moment by an index, in its order, and the version of then by its key', async () => {
    await useEverything();
    const changed = steps().filter(({ sql }) => /AS past/.test(sql));
    const plan = changed.map(({ detail }) => detail).join('\n');
    expect(plan).toMatch(/INDEX entries_changed \(partition_id=\? AND \(updated_at,id\)>/);
    expect(plan).toMatch(/SEARCH v USING PRIMARY KEY \(seq=\?/);
    expect(plan).not.toMatch(/TEMP B-TREE/);
  });

  it('would be seen to, if they did', () => {
    connection.all('SELECT e.seq FROM entries e WHERE e.content = ?', 'x');
    connection.all('SELECT v.seq FROM embeddings v WHERE v.vector = ?', 'x');
    connection.all('SELECT seq FROM embedding_codes WHERE code = ?', 'x');
    expect(steps().filter(({ detail }) => TABLE_SCAN.test(detail))).toHaveLength(3);
  });

  it('compare only vectors of the asked partitions, and sort only what a page needs', async () => {
    await useEverything();
    const of = (part: RegExp): Step[] => steps().filter(({ sql }) => part.test(sql));
    const vectors = of(/vec_distance_cosine/).filter(({ detail }) => / v /.test(detail));
    expect(vectors.length).toBeGreaterThan(0);
    // Where vectors are looked up one by one, the index by entry leads to the whole key just as well.
    for (const { detail } of vectors) expect(detail).toMatch(/\((seq=\? AND )?space_id=\? AND partition_id=\?/);
    const walked = of(/AS similarity FROM embeddings v\s+WHERE v\.space_id/).filter(({ detail }) => / v /.test(detail));
    expect(walked.length).toBeGreaterThan(1);
    for (const { detail } of walked) expect(detail).toMatch(/PRIMARY KEY \(space_id=\? AND partition_id=\?/);
    // The text index hands out its best ones first: nothing else is read, compared or sorted.
    const words = of(/t\.words MATCH/);
    expect(words.some(({ detail }) => detail.startsWith('SCAN t VIRTUAL TABLE'))).toBe(true);
    expect(words.filter(({ detail }) => /TEMP B-TREE/.test(detail))).toEqual([]);
    const pages = of(/FROM entries e WHERE e\.partition_id = \?/);
    expect(pages.some(({ detail }) => /USING INDEX entries_page/.test(detail))).toBe(true);
    expect(pages.filter(({ detail }) => /TEMP B-TREE/.test(detail))).toEqual([]);
  });
});
