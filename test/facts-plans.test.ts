/** How facts are found: each question by the index that is made for it, on SQLite and on PostgreSQL. */

import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Scope } from '../src/domain/scope.ts';
import { PostgresDatabase } from '../src/engines/postgres/postgres-database.ts';
import type { PostgresConnection, PostgresDriver } from '../src/engines/postgres/postgres-driver.ts';
import { PostgresFacts } from '../src/engines/postgres/postgres-facts.ts';
import { readMigrations } from '../src/engines/sql/migrations.ts';
import { SqliteConnection } from '../src/engines/sqlite/sqlite-connection.ts';
import { SqliteFactReader } from '../src/engines/sqlite/sqlite-fact-reader.ts';
import { SqliteFactTransaction } from '../src/engines/sqlite/sqlite-fact-transaction.ts';
import { migrate } from '../src/engines/sqlite/sqlite-migrations.ts';
import type { EdgeQuery, FactDraft, FactQuery, TimelineQuery } from '../src/ports/fact-store.ts';
import { TENANT } from '../src/testing/engine-subject.ts';
import { ManualClock } from '../src/testing/manual-clock.ts';
import { makeFolder, removeFolder } from './sqlite-folder.ts';
import { serverUnderTest } from './postgres-server-subject.ts';
import { describeOnPostgres, execute } from './postgres-server.ts';

const SCOPES: readonly Scope[] = [
  { layer: 'user', identifiers: { userId: 'u' } },
  { layer: 'project', identifiers: { projectId: 'p' } },
];
const TIME = '2026-03-04T08:00:00.000Z';
const AT = { at: Date.parse(TIME) };
const AFTER = { confidence: 0.5, createdAt: TIME, factId: '018f0000-0000-7000-8000-000000000000' };

/** Which index finds what still holds, and which what has an end. */
const SHAPES: readonly (readonly [Partial<FactQuery>, string, string])[] = [
  [{}, 'facts_page', 'facts_ended'],
  [{ factType: 't' }, 'facts_type', 'facts_ended'],
  [{ subject: 's' }, 'facts_subject', 'facts_ended_subject'],
  [{ subject: 's', predicate: 'p' }, 'facts_slot', 'facts_ended_slot'],
  [{ predicate: 'p' }, 'facts_predicate', 'facts_ended'],
  [{ predicate: 'p', object: 'o' }, 'facts_claim', 'facts_ended_claim'],
  [{ object: 'o' }, 'facts_object', 'facts_ended_object'],
  [{ subject: 's', object: 'o' }, 'facts_subject', 'facts_ended_subject'],
  [{ factType: 't', subject: 's', predicate: 'p', object: 'o' }, 'facts_slot', 'facts_ended_slot'],
];

const questionOf = (shape: Partial<FactQuery>): FactQuery => ({ scopes: SCOPES, time: AT, limit: 51, ...shape });
const TIMELINE: TimelineQuery = { scope: SCOPES[0] as Scope, factType: 't', subject: 's', predicate: 'p', from: TIME };
const WALK: EdgeQuery = { scopes: SCOPES, nodes: ['s', 'o'], direction: 'both', ...AT, limit: 100 };

const EDGES = ['facts_subject', 'facts_ended_subject', 'facts_object', 'facts_ended_object'];
const NARROW_EDGES = ['facts_slot', 'facts_ended_slot', 'facts_claim', 'facts_ended_claim'];

function draftsOf(count: number): FactDraft[] {
  return Array.from({ length: count }, (_, n) => ({
    factId: `018f0000-0000-7000-8000-${n.toString(16).padStart(12, '0')}`,
    ...(SCOPES[n % 2] as Scope),
    factType: `type ${n % 7}`,
    subject: `s ${n % 101}`,
    predicate: `p ${n % 5}`,
    object: `o ${n % 37}`,
    confidence: (n % 11) / 10,
    trust: 'user',
    metadata: {},
    validFrom: TIME,
    validTo: n % 3 === 0 ? '2026-04-04T08:00:00.000Z' : null,
    createdAt: TIME,
    updatedAt: TIME,
  }));
}

describe('on SQLite', () => {
  let folder: string;
  let connection: SqliteConnection;
  let seen: string[] = [];

  beforeAll(async () => {
    folder = await makeFolder();
    connection = new SqliteConnection(join(folder, 'plans.db'), { readonly: false });
    migrate(connection.db, readMigrations('sqlite'), 0);
    await new SqliteFactTransaction(connection).insert(draftsOf(50));
    const prepare = connection.db.prepare.bind(connection.db);
    const explained = (sql: string): string[] =>
      prepare<unknown[], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`)
        .all(...Array.from(sql.matchAll(/\?/g), () => null))
        .map(({ detail }) => detail);
    Object.assign(connection.db, {
      prepare: (sql: string) => {
        seen.push(...explained(sql));
        return prepare(sql);
      },
    });
  });
  afterAll(async () => {
    connection.close();
    await removeFolder(folder);
  });

  /** The indexes by which facts were found, of statements that were not used before. */
  function indexesOf(work: (reader: SqliteFactReader) => unknown): string[] {
    seen = [];
    work(new SqliteFactReader(connection));
    expect(seen.filter((detail) => /SCAN (f|facts|fact_scopes)\b/.test(detail))).toEqual([]);
    return seen.flatMap((detail) => /SEARCH f USING INDEX (\w+)/.exec(detail)?.[1] ?? []);
  }

  it.each(SHAPES)('finds %j by %s and %s, in order', (shape, open, ended) => {
    expect(indexesOf((reader) => reader.list(questionOf(shape)))).toEqual([open, ended]);
    // Only what has an end is sorted.
    expect(seen.filter((detail) => detail.includes('TEMP B-TREE'))).toHaveLength(1);
    const more = { ...shape, after: AFTER, minConfidence: 0.2 };
    expect(indexesOf((reader) => reader.list(questionOf(more)))).toEqual([open, ended]);
    expect(indexesOf((reader) => reader.list({ ...questionOf(shape), time: 'any' }))[0]).toBe(open);
  });

  it('finds edges, timelines and what says the same by theirs', () => {
    expect(indexesOf((reader) => reader.edges(WALK))).toEqual(EDGES);
    expect(indexesOf((reader) => reader.edges({ ...WALK, predicates: ['p'] }))).toEqual(NARROW_EDGES);
    expect(indexesOf((reader) => reader.timelines([TIMELINE]))).toEqual(['facts_slot', 'facts_ended_slot']);
    expect(indexesOf((reader) => reader.timelines([{ ...TIMELINE, object: 'o' }]))).toEqual(['facts_statement']);
  });

  it('looks for no more than it needs when a scope empties', async () => {
    seen = [];
    await new SqliteFactTransaction(connection).remove(['018f0000-0000-7000-8000-000000000000']);
    expect(seen.filter((detail) => detail.startsWith('SCAN'))).toEqual([]);
  });
});

interface Node {
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly 'Node Type': string;
  readonly Plans?: readonly Node[];
}

const server = await serverUnderTest();

describeOnPostgres('on PostgreSQL', () => {
  const clock = new ManualClock();
  let seen: Node[] = [];

  /** A driver that has each statement explained, with what is set then, before it is run. */
  function explaining(driver: PostgresDriver): PostgresDriver {
    const reserve = async (): Promise<PostgresConnection> => {
      const connection = await driver.reserve();
      let before: Promise<unknown> = Promise.resolve();
      const query: PostgresConnection['query'] = (sql, values) => {
        const result = before.then(async () => {
          if (values !== undefined && !sql.includes('set_config')) {
            // As it is planned in earnest: for whatever values.
            await connection.query(`PREPARE asked AS ${sql}`);
            const plans = await connection.query<{ 'QUERY PLAN': [{ Plan: Node }] }>(
              `EXPLAIN (FORMAT JSON) EXECUTE asked(${values.map(() => 'NULL').join(', ')})`,
            );
            await connection.query('DEALLOCATE asked');
            for (const row of plans.rows) seen.push(...nodesOf(row['QUERY PLAN'][0].Plan));
          }
          return connection.query(sql, values);
        });
        before = result.catch(() => {});
        return result as ReturnType<typeof connection.query<never>>;
      };
      return { query, release: (spoiled) => connection.release(spoiled) };
    };
    return { ...driver, reserve };
  }

  const on = (driver: PostgresDriver): PostgresFacts =>
    new PostgresFacts(new PostgresDatabase({ driver, clock, statementTimeoutMs: 30_000 }), clock);

  beforeAll(async () => {
    if (server === undefined) throw new Error('There is no server.');
    await on(server.driver).transaction(TENANT, (tx) => tx.insert(draftsOf(3000)));
  }, 60_000);

  async function indexesOf(work: (facts: PostgresFacts) => Promise<unknown>): Promise<string[]> {
    seen = [];
    if (server !== undefined) await work(on(explaining(server.driver)));
    expect(
      seen.filter((node) => node['Node Type'] === 'Seq Scan' && node['Relation Name']?.startsWith('fact')),
    ).toEqual([]);
    const names = seen.flatMap((node) => node['Index Name'] ?? []);
    return [...new Set(names.filter((name) => name.startsWith('facts_')))].toSorted();
  }

  // Whatever the planner knows: at first nothing, and then that there are millions.
  describe.each([
    ['before it is known how many there are', ''],
    ['of millions', `UPDATE pg_class SET relpages = 1, reltuples = 40000 WHERE relname IN ('facts', 'fact_scopes')`],
  ])('%s', (_when, statement) => {
    beforeAll(async () => {
      if (server !== undefined && statement !== '') await execute(server.url, statement);
    });

    it.each(SHAPES)('finds %j by %s and %s', async (shape, open, ended) => {
      const expected = [open, ended].toSorted();
      expect(await indexesOf((facts) => facts.list(TENANT, questionOf(shape)))).toEqual(expected);
      const more = { ...shape, after: AFTER, minConfidence: 0.2 };
      expect(await indexesOf((facts) => facts.list(TENANT, questionOf(more)))).toEqual(expected);
    });

    it('finds edges, timelines and what says the same by theirs', async () => {
      expect(await indexesOf((facts) => facts.edges(TENANT, WALK))).toEqual(EDGES.toSorted());
      const narrow = await indexesOf((facts) => facts.edges(TENANT, { ...WALK, predicates: ['p'] }));
      expect(narrow).toEqual(NARROW_EDGES.toSorted());
      const ask = (query: TimelineQuery): Promise<string[]> =>
        indexesOf((facts) => facts.transaction(TENANT, (tx) => tx.timelines([query])));
      expect(await ask(TIMELINE)).toEqual(['facts_ended_slot', 'facts_slot']);
      expect(await ask({ ...TIMELINE, object: 'o' })).toEqual(['facts_statement']);
      expect(await indexesOf((facts) => facts.find(TENANT, AFTER.factId))).toEqual(['facts_pkey']);
    });
  });
});

function nodesOf(node: Node): Node[] {
  return [node, ...(node.Plans ?? []).flatMap(nodesOf)];
}
