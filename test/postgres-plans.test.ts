/** How PostgreSQL answers: by indexes, within what was asked for, and never by going through all that a tenant has. */

import { beforeAll, describe, expect, it, vi } from 'vitest';
import type { Partition } from '../src/domain/access.ts';
import type { MetadataFilter } from '../src/domain/filter.ts';
import { poolNamespace, sessionNamespace, workingNamespace } from '../src/domain/namespace.ts';
import { PostgresDatabase } from '../src/engines/postgres/postgres-database.ts';
import type { Parameter, PostgresConnection, PostgresDriver } from '../src/engines/postgres/postgres-driver.ts';
import { PostgresEntries } from '../src/engines/postgres/postgres-entries.ts';
import { PostgresEventLog } from '../src/engines/postgres/postgres-event-log.ts';
import { postgresRecordStores } from '../src/engines/postgres/postgres-record-store.ts';
import { PostgresStateStore } from '../src/engines/postgres/postgres-state-store.ts';
import { PostgresUpkeep } from '../src/engines/postgres/postgres-upkeep.ts';
import type { Embedding, Probe } from '../src/ports/entry-store.ts';
import type { RecordStores } from '../src/ports/record-store.ts';
import { TENANT, userOf } from '../src/testing/engine-subject.ts';
import {
  embeddingOf,
  entryOf,
  nextVersion,
  partitionOfEntry,
  wordsProbe,
  writeOf,
} from '../src/testing/entry-write.ts';
import { ManualClock } from '../src/testing/manual-clock.ts';
import { accessDraft, contextDraft, poolDraft, runDraft, snapshotDraft } from '../src/testing/record-drafts.ts';
import { serverUnderTest } from './postgres-server-subject.ts';
import { describeOnPostgres, execute } from './postgres-server.ts';

const FILTER: MetadataFilter = {
  tags: ['t'],
  sourceType: 'manual',
  hasKnowledgePointer: false,
  custom: { a: 'x', b: 1, c: true, d: null, e: { f: 1 } },
};

/** Tables of which a tenant may have millions of rows. */
const LARGE = new Set(
  `entries entry_versions entry_accesses entry_words word_counts embeddings events state
   pools contexts context_snapshots context_accesses maintenance_runs`.split(/\s+/),
);

/** In the order of a page, among what is shared at all: whoever lists what others have shared goes through these. */
const ORDERED = new Set(['pools_shared', 'contexts_shared']);

/** Many rows on each of the few pages that there are: the planner plans for millions. */
const PRETEND = `
  UPDATE pg_class SET relpages = 1, reltuples = 400000
  WHERE relnamespace = 'lamina'::regnamespace AND relkind = 'r'`;

interface Node {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly 'Index Cond'?: string;
  readonly 'Order By'?: string;
  readonly Plans?: readonly Node[];
}

interface Step {
  readonly sql: string;
  readonly node: Node;
}

const server = await serverUnderTest();
const clock = new ManualClock();
const steps: Step[] = [];

/** A driver that has each statement explained, as it is asked and with what is set then, before it is run. */
function explaining(driver: PostgresDriver): PostgresDriver {
  const reserve = async (): Promise<PostgresConnection> => {
    const connection = await driver.reserve();
    let before: Promise<unknown> = Promise.resolve();
    const query: PostgresConnection['query'] = (sql, values) => {
      const result = before.then(async () => {
        if (values !== undefined && !sql.includes('set_config')) await explain(connection, sql, values);
        return connection.query(sql, values);
      });
      before = result.catch(() => {});
      return result as ReturnType<typeof connection.query<never>>;
    };
    return { query, release: (spoiled) => connection.release(spoiled) };
  };
  return { ...driver, reserve };
}

async function explain(connection: PostgresConnection, sql: string, values: readonly Parameter[]): Promise<void> {
  const { rows } = await connection.query<{ 'QUERY PLAN': [{ Plan: Node }] }>(`EXPLAIN (FORMAT JSON) ${sql}`, values);
  for (const row of rows) steps.push(...stepsOf(sql, row['QUERY PLAN'][0].Plan));
}

function stepsOf(sql: string, node: Node): Step[] {
  return [{ sql, node }, ...(node.Plans ?? []).flatMap((inner) => stepsOf(sql, inner))];
}

/** Reading a table as a whole, or all that a tenant has in it. */
function goesThrough({ node }: Step): boolean {
  if (!LARGE.has(node['Relation Name'] ?? '') || !node['Node Type'].includes('Scan')) return false;
  if (node['Node Type'] === 'Bitmap Heap Scan')
    return !(node.Plans ?? []).some((inner) => isNarrow(inner['Index Cond']));
  if (node['Node Type'] === 'Tid Scan' || ORDERED.has(node['Index Name'] ?? '')) return false;
  return node['Order By'] === undefined && !isNarrow(node['Index Cond']);
}

function isNarrow(condition = ''): boolean {
  return / AND /.test(condition);
}

/** Several tenants with several partitions, so that none of them is all that there is. */
async function fill(entries: PostgresEntries): Promise<void> {
  for (let tenant = 0; tenant < 8; tenant += 1) {
    const principal = { tenantId: `00000000-0000-0000-0000-0000000000${tenant}a`, userId: 'u' };
    const some = Array.from({ length: 40 }, (_, n) => {
      const own = { layer: 'user', identifiers: { userId: 'u' }, ownerId: 'u', visibility: 'private' } as const;
      const place = n % 5 === 0 ? own : { identifiers: { projectId: `p${n % 5}` } };
      return entryOf({ content: `filler ${n}`, ...place, ...(n % 2 === 0 && { externalId: `${n}` }) });
    });
    const writes = await Promise.all(some.map(writeOf));
    await entries.transaction(principal, (tx) => tx.insert(writes));
    entries.touch(
      principal,
      some.map(({ id }) => id),
    );
    const next = await Promise.all(some.map((entry) => writeOf(nextVersion(entry, { importance: 1 }))));
    await entries.transaction(principal, (tx) => tx.replace(next));
  }
  await entries.flush();
}

async function useEverything(entries: PostgresEntries): Promise<void> {
  const entry = entryOf({ content: 'one two three', externalId: 'x' });
  const partition = partitionOfEntry(entry);
  const partitions = [partition, partitionOfEntry(entryOf({ content: 'x', identifiers: { projectId: 'p1' } }))];
  const embedding = await embeddingOf('one');
  const [first, second] = [await writeOf(entry), await writeOf(nextVersion(entry, { content: 'one two four' }))];
  const identities = [
    { id: entry.id, partition, ownerId: null, externalId: 'none', contentHash: 'none' },
    { partition, ownerId: null, contentHash: entry.contentHash },
  ];
  await entries.transaction(TENANT, async (tx) => {
    await tx.findSame(identities);
    await tx.insert([first]);
  });
  await foresee(entries, partitions, embedding);
  const position = { createdAt: clock.now(), id: entry.id };
  for (const filter of [undefined, FILTER]) {
    const reach = { partitions, filter };
    await entries.candidates(TENANT, reach, { ...wordsProbe('one', 'two'), embedding }, 10);
    await entries.candidates(TENANT, reach, { ...wordsProbe('one', 'two'), embedding, near: [TENANT.tenantId] }, 10);
    await entries.transaction(TENANT, (tx) => tx.nearest(reach, embedding, 1));
    await entries.count(TENANT, reach);
    await entries.timeline(TENANT, reach, 10, { since: clock.now(), id: entry.id });
    for (const at of [undefined, position]) await entries.list(TENANT, reach, 10, at);
  }
  const past = { partitions, asOf: clock.now() };
  await entries.candidates(TENANT, past, { ...wordsProbe('one', 'two'), embedding }, 10);
  await entries.list(TENANT, { ...past, createdBefore: clock.now() + 1 }, 10, position);
  await entries.count(TENANT, past);
  for (const at of [undefined, { updatedAt: clock.now(), id: entry.id }]) {
    await entries.changed(TENANT, partitions, clock.now(), 10, at);
  }
  await entries.textStatistics(TENANT, partitions, ['one', 'two']);
  await entries.vectors(TENANT, embedding.space, [entry.id]);
  await entries.findSame(TENANT, identities);
  await entries.find(TENANT, [entry.id]);
  await recollect(entries, partitions, { ...wordsProbe('one', 'two'), embedding, endings: 10 });
  await entries.history(TENANT, entry.id);
  await entries.personalScopes(TENANT, 'user', 'u');
  entries.touch(TENANT, [entry.id]);
  await entries.flush();
  await entries.transaction(TENANT, async (tx) => {
    await tx.find([entry.id]);
    await tx.replace([second]);
  });
  await entries.transaction(TENANT, async (tx) => {
    // What forgetting selects when no scope is named.
    await tx.list({ ownerId: 'u', createdBefore: 1, filter: FILTER }, 10, position);
    const found = await tx.list({ ids: [entry.id] }, 10);
    await tx.remove(found.map(({ id }) => id));
  });
}

/** All of a first search at once. */
async function foresee(
  entries: PostgresEntries,
  partitions: readonly Partition[],
  embedding: Embedding,
): Promise<void> {
  const recollection = entries.recollection();
  const likely = { count: 5, words: 1, meaning: 1, mean: 0, spread: 1, importance: 1, confidence: 1 };
  const probe = { embedding, endings: 10 };
  recollection?.foresee?.({ asked: ['one'], former: ['two'], names: ['·three'], probe, limit: 10, likely });
  await recollection?.textStatistics(TENANT, partitions, ['one', 'two', '·three']);
  expect(steps.some(({ sql }) => sql.includes('"isForeseen"'))).toBe(true);
}

/** What is held of a reach is read, confirmed, and read on after a write. */
async function recollect(entries: PostgresEntries, partitions: readonly Partition[], probe: Probe): Promise<void> {
  for (const _ of [1, 2, 3, 4]) await entries.candidates(TENANT, { partitions }, probe, 10);
  const search = async (statement: string): Promise<void> => {
    const recollection = entries.recollection();
    await recollection?.textStatistics(TENANT, partitions, ['one']);
    await recollection?.find(TENANT, [TENANT.tenantId]);
    expect(steps.some(({ sql }) => sql.includes(statement))).toBe(true);
  };
  await vi.waitFor(() => search('AS stamps'));
  const another = await writeOf(entryOf({ content: 'one more' }));
  await entries.transaction(TENANT, (tx) => tx.insert([another]));
  await search('"lexemeCount"');
}

/** The other stores, over one database. */
interface Stores {
  readonly state: PostgresStateStore;
  readonly records: RecordStores;
  readonly events: PostgresEventLog;
  readonly upkeep: PostgresUpkeep;
}

function storesOn(driver: PostgresDriver): Stores {
  const database = new PostgresDatabase({ driver, clock, statementTimeoutMs: 30_000 });
  const events = new PostgresEventLog(database, driver);
  return {
    state: new PostgresStateStore(database, clock),
    records: postgresRecordStores(database, clock),
    events,
    upkeep: new PostgresUpkeep(database, events),
  };
}

const value = { mutation: { type: 'set', value: 1 }, maxBytes: 99 } as const;

async function fillStores({ state, records }: Stores): Promise<void> {
  for (let tenant = 0; tenant < 4; tenant += 1) {
    const principal = { tenantId: `00000000-0000-0000-0000-0000000000${tenant}a`, userId: 'u' };
    for (let n = 0; n < 12; n += 1) {
      const access = { read: n % 2 === 0 ? ['v'] : [], write: [], publicRead: false };
      const id = `${tenant}.${n}`;
      await records.pools.create(principal, poolDraft(id, { access, workflowRunId: id }));
      await records.contexts.create(principal, contextDraft(id, { access }));
      await records.contextSnapshots.create(principal, snapshotDraft(id, { contextId: id }));
      await records.contextAccesses.create(principal, accessDraft(id, { contextId: id }));
      await records.maintenanceRuns.create(principal, runDraft(id));
      for (const namespace of [poolNamespace(id), sessionNamespace('u', 'a', id), workingNamespace(id)]) {
        await state.write(principal, namespace, 'k', { ...value, expiresAt: clock.now() + 1e6 });
      }
    }
  }
}

/** Whatever is new with pools, contexts, maintenance and the state of users. */
async function useStores({ state, records, events, upkeep }: Stores): Promise<void> {
  const { tenantId } = TENANT;
  const pool = poolNamespace('0.1');
  for (const namespace of [workingNamespace('0.1'), sessionNamespace('u', 'a', '0.1'), pool]) {
    await state.write(TENANT, namespace, 'k', value);
    await state.write(TENANT, namespace, 'n', { ...value, mutation: { type: 'increment', by: 1 } });
    await state.get(TENANT, namespace, 'k');
    await state.list(TENANT, namespace, 10);
    state.touch(TENANT, namespace, 'k', { accesses: 1, ms: 1000 });
    await state.measure(TENANT, namespace);
    await state.remove(TENANT, namespace, 'k');
    await state.clear(TENANT, namespace);
  }
  await state.frequent(tenantId, '["session",', 3, 10, { namespace: sessionNamespace('u', 'a', '0.2'), key: 'k' });
  await state.sweep(new AbortController().signal);
  await upkeep.removeExpired(tenantId, clock.now(), 10);
  await upkeep.pruneEvents(tenantId, clock.now() - 1, 10);
  const { space } = await embeddingOf('any');
  const changes = await upkeep.changes(tenantId, undefined, 10);
  await upkeep.changes(tenantId, changes?.position, 10);
  await upkeep.points(tenantId, space, [tenantId]);
  const head = await events.head(TENANT);
  for (const after of [undefined, head]) {
    await events.read(TENANT, after, 10);
    await events.readPool(TENANT, '0.1', after, 10);
  }
  const { pools, contexts, contextSnapshots, contextAccesses, maintenanceRuns } = records;
  const after = { at: '2026-03-04T08:00:00.000Z', key: '0.5' };
  await pools.get(userOf('v'), '0.2');
  await pools.list(userOf('v'), { where: {}, limit: 5, after });
  await pools.list(TENANT, { where: { workflowRunId: ['0.3'] }, limit: 5 });
  await pools.change(TENANT, '0.2', (current) => ({ ...current, name: 'x' }));
  await pools.remove(TENANT, '0.2');
  await contexts.list(TENANT, { where: {}, limit: 5, after });
  await contextSnapshots.list(TENANT, { where: { contextId: ['0.4'] }, limit: 5, after });
  await contextSnapshots.removeAll(TENANT, { contextId: ['0.4'] });
  await contextAccesses.list(TENANT, { where: { contextId: ['0.4'] }, limit: 5, after });
  await contextAccesses.removeAll(TENANT, { contextId: ['0.4'] });
  await maintenanceRuns.list(TENANT, { where: { job: ['expiry'] }, limit: 5, after });
}

describeOnPostgres('query plans of PostgreSQL', () => {
  beforeAll(async () => {
    if (server === undefined) throw new Error('There is no server.');
    const on = (driver: PostgresDriver): PostgresEntries =>
      new PostgresEntries(new PostgresDatabase({ driver, clock, statementTimeoutMs: 30_000 }), clock, 'public');
    await fill(on(server.driver));
    await fillStores(storesOn(server.driver));
    await execute(server.url, 'ANALYZE');
    await execute(server.url, PRETEND);
    await useEverything(on(explaining(server.driver)));
    await useStores(storesOn(explaining(server.driver)));
  }, 60_000);

  it('go through no table, and through no tenant, from end to end', () => {
    expect(new Set(steps.map(({ sql }) => sql)).size).toBeGreaterThan(25);
    expect(steps.filter(goesThrough)).toEqual([]);
  });

  it('know the order of what is shared, of what ends, and of what happened in a pool', () => {
    const used = new Set(steps.map(({ node }) => node['Index Name']));
    for (const name of [
      'pools_shared',
      'pools_page',
      'pools_workflow',
      'state_end',
      'events_pool',
      'entries_expiry',
      'entries_changed',
    ]) {
      expect([name, used.has(name)]).toEqual([name, true]);
    }
  });

  it('would be seen to, if they did', () => {
    const scan = { 'Node Type': 'Seq Scan', 'Relation Name': 'entries' };
    const tenant = { 'Node Type': 'Index Scan', 'Relation Name': 'entry_words', 'Index Cond': '(tenant_id = $0)' };
    expect([scan, tenant].filter((node) => goesThrough({ sql: '', node }))).toHaveLength(2);
  });

  describe('of a search', () => {
    const of = (part: RegExp): Step[] => steps.filter(({ sql }) => part.test(sql));

    it('look up words by the whole key, and vectors by partition or by the index of their space', () => {
      const words = of(/is_near/).filter(({ node }) => node['Relation Name'] === 'entry_words');
      expect(words.length).toBeGreaterThan(0);
      for (const { node } of words) expect(node['Index Cond']).toMatch(/partition_id = .* AND \(lexeme = /);
      const indexes = of(/is_near/).map(({ node }) => node['Index Name']);
      const compared = of(/is_near/).filter(({ node }) => node['Index Name'] === 'embeddings_partition');
      expect(compared.some(({ node }) => /is_indexed = /.test(node['Index Cond'] ?? ''))).toBe(true);
      expect(indexes.some((name) => name?.startsWith('embeddings_space_'))).toBe(true);
    });

    it('find a partition by its key', () => {
      const partitions = of(/is_near/).filter(({ node }) => node['Relation Name'] === 'partitions');
      expect(partitions.length).toBeGreaterThan(0);
      for (const { node } of partitions) expect(node['Index Cond']).toMatch(/key = /);
    });
  });
});
