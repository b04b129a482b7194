/** The statements about facts. Values are always bound, never spelled out. */

import type { EdgeQuery, FactQuery, TimelineQuery } from '../../ports/fact-store.ts';
import { scopeKey } from '../../domain/scope.ts';
import { branchesOf, leadsOf, waysOf, type Branch } from '../sql/fact-conditions.ts';
import { hashOf, READ_COLUMNS, type FactColumns, type HashColumn } from '../sql/fact-row.ts';
import { Parameters, type Statement } from './postgres-statement.ts';

/** The columns that a fact is written to, but for its scope, which is looked up by its key; and their types. */
const WRITTEN_COLUMNS = {
  fact_id: 'uuid',
  fact_type: 'text',
  subject: 'text',
  predicate: 'text',
  object: 'text',
  scope_hash: 'bigint',
  type_hash: 'bigint',
  subject_hash: 'bigint',
  slot_hash: 'bigint',
  predicate_hash: 'bigint',
  claim_hash: 'bigint',
  object_hash: 'bigint',
  statement_hash: 'bigint',
  confidence: 'double precision',
  trust: 'text',
  metadata: 'json',
  source_type: 'text',
  source_reference: 'text',
  valid_from: 'bigint',
  valid_to: 'bigint',
  created_at: 'bigint',
  updated_at: 'bigint',
} as const satisfies Record<keyof FactColumns | 'fact_id' | 'metadata', string>;

const NAMES = Object.keys(WRITTEN_COLUMNS) as (keyof typeof WRITTEN_COLUMNS)[];
const WRITTEN = NAMES.join(', ');
const WRITTEN_VALUES = NAMES.map((name) => `w.${name}`).join(', ');
const TYPED = NAMES.map((name) => `${name} ${WRITTEN_COLUMNS[name]}`).join(', ');

/** The policies say so already, but not in a way by which an index could be entered. */
const IN_TENANT = 'f.tenant_id = (SELECT lamina.current_tenant())';

const COLUMNS = `f.fact_id, s.key AS scope_key, ${READ_COLUMNS}`;

/** Each fact `f` with its scope. */
const WITH_SCOPE = `
  CROSS JOIN LATERAL (
    SELECT s.key FROM lamina.fact_scopes s WHERE s.tenant_id = f.tenant_id AND s.scope_id = f.scope_id LIMIT 1) s`;

export const SELECT_BY_IDS = `
  SELECT ${COLUMNS} FROM lamina.facts f ${WITH_SCOPE} WHERE ${IN_TENANT} AND f.fact_id = ANY ($1::uuid[])`;

export const SELECT_PAGE = `
  SELECT ${COLUMNS} FROM (
    SELECT f.* FROM lamina.facts f WHERE f.tenant_id = $1 AND ($2::uuid IS NULL OR f.fact_id > $2)
    ORDER BY f.fact_id LIMIT $3) f ${WITH_SCOPE} ORDER BY f.fact_id`;

export const SELECT_LAST = 'SELECT fact_id FROM lamina.facts WHERE tenant_id = $1 ORDER BY fact_id DESC LIMIT 1';

/**
 * Makes sure that the scopes are there, and locks them: in the order of their keys, so that writers who meet in several
 * wait for each other in one order. Whatever is asked afterwards sees what those before have written.
 */
export const OPEN_SCOPES = `
  INSERT INTO lamina.fact_scopes (tenant_id, key, layer, audience, owner_id)
  SELECT $1::uuid, s.key, s.layer, s.audience, nullif(s.audience, '')
  FROM json_to_recordset($2::json) AS s (key text, layer text, audience text) ORDER BY s.key
  ON CONFLICT (tenant_id, key) DO UPDATE SET layer = excluded.layer`;

/** The same for those of facts. */
export const LOCK_SCOPES_OF = `
  SELECT 1 FROM lamina.fact_scopes s
  WHERE s.tenant_id = (SELECT lamina.current_tenant())
    AND s.scope_id IN (SELECT f.scope_id FROM lamina.facts f WHERE ${IN_TENANT} AND f.fact_id = ANY ($1::uuid[]))
  ORDER BY s.key FOR NO KEY UPDATE`;

const WRITTEN_ROWS = `json_to_recordset($1::json) AS w (scope_key text, version bigint, ${TYPED})`;

const insert = (version: string): string => `
  INSERT INTO lamina.facts AS f (tenant_id, scope_id, audience, version, ${WRITTEN})
  SELECT s.tenant_id, s.scope_id, s.audience, ${version}, ${WRITTEN_VALUES}
  FROM ${WRITTEN_ROWS} CROSS JOIN LATERAL (
    SELECT s.tenant_id, s.scope_id, s.audience FROM lamina.fact_scopes s
    WHERE s.tenant_id = (SELECT lamina.current_tenant()) AND s.key = w.scope_key LIMIT 1) s
  ON CONFLICT DO NOTHING RETURNING f.fact_id, f.version`;

/** Answers which ids were free. Also those of facts that nobody here may see are taken. */
export const INSERT_FACTS: string = insert("nextval('lamina.versions')");

/** With the versions that they have, for facts that come from elsewhere. */
export const RESTORE_FACTS: string = insert('w.version');

export const UPDATE_FACTS = `
  UPDATE lamina.facts f SET
    confidence = w.confidence, trust = w.trust, metadata = w.metadata, source_type = w.source_type, source_reference = w.source_reference,
    valid_from = w.valid_from, valid_to = w.valid_to, updated_at = w.updated_at, version = nextval('lamina.versions')
  FROM ${WRITTEN_ROWS} WHERE ${IN_TENANT} AND f.fact_id = w.fact_id
  RETURNING f.fact_id, f.version`;

/** Scopes that hold nothing any more go too: what is said of a scope is its name. */
export const DELETE_FACTS = `DELETE FROM lamina.facts f WHERE ${IN_TENANT} AND f.fact_id = ANY ($1::uuid[]) RETURNING f.scope_id`;
export const DELETE_EMPTY_SCOPES = `
  DELETE FROM lamina.fact_scopes s
  WHERE s.tenant_id = (SELECT lamina.current_tenant()) AND s.scope_id = ANY ($1::bigint[])
    AND NOT EXISTS (SELECT 1 FROM lamina.facts f WHERE f.tenant_id = s.tenant_id AND f.scope_id = s.scope_id)`;

/** Each row of `q` with its scope. The limit says nothing new, but leaves the planner no choice. */
const IN_SCOPE = `
  CROSS JOIN LATERAL (
    SELECT s.scope_id, s.key FROM lamina.fact_scopes s
    WHERE s.tenant_id = (SELECT lamina.current_tenant()) AND s.key = q.scope_key LIMIT 1) s`;

/** Where a hash has led to it already. In a way that no index knows: the planner knows nothing of how many lie in a scope. */
const LIES_THERE = 'f.scope_id + 0 = s.scope_id';

const ASKED = `
  json_to_recordset($1::json) AS q (
    scope_key text, fact_type text, subject text, predicate text, object text, hash bigint, since bigint) ${IN_SCOPE}`;
const IS_TIMELINE = 'f.fact_type = q.fact_type AND f.subject = q.subject AND f.predicate = q.predicate';
const OF_TIMELINE = `
  SELECT f.* FROM lamina.facts f WHERE ${IN_TENANT} AND ${LIES_THERE} AND f.slot_hash = q.hash AND ${IS_TIMELINE}`;

/** What says one thing. */
const SELECT_SAME = `
  SELECT ${COLUMNS} FROM ${ASKED} CROSS JOIN LATERAL (
    SELECT f.* FROM lamina.facts f
    WHERE ${IN_TENANT} AND ${LIES_THERE} AND f.statement_hash = q.hash AND ${IS_TIMELINE}
      AND f.object = q.object AND (f.valid_to IS NULL OR f.valid_to > q.since)
    OFFSET 0) f`;

/** All of a timeline, which has what still holds and what has an end in indexes of their own. */
const SELECT_TIMELINES = `
  SELECT ${COLUMNS} FROM ${ASKED} CROSS JOIN LATERAL (
    ${OF_TIMELINE} AND f.valid_to IS NULL UNION ALL ${OF_TIMELINE} AND f.valid_to > q.since
    OFFSET 0) f`;

/** At most two statements, whatever the number of queries. */
export function selectTimelines(queries: readonly TimelineQuery[]): Statement[] {
  const of = (sql: string, column: HashColumn, chosen: readonly TimelineQuery[]): Statement[] =>
    chosen.length === 0 ? [] : [{ sql, values: [JSON.stringify(chosen.map((query) => askedRow(column, query)))] }];
  return [
    ...of(
      SELECT_SAME,
      'statement_hash',
      queries.filter(({ object }) => object !== undefined),
    ),
    ...of(
      SELECT_TIMELINES,
      'slot_hash',
      queries.filter(({ object }) => object === undefined),
    ),
  ];
}

function askedRow(column: HashColumn, query: TimelineQuery): object {
  const { scope, factType, subject, predicate, object, from } = query;
  const key = scopeKey(scope);
  const terms = { factType, subject, predicate, ...(object !== undefined && { object }) };
  const hash = hashOf(column, key, terms);
  return { scope_key: key, fact_type: factType, subject, predicate, object, hash, since: Date.parse(from) };
}

const ORDER = 'ORDER BY f.confidence DESC, f.created_at DESC, f.fact_id DESC';

/** Each scope has its own order in the indexes, so each is asked for a page, and the pages are merged. */
export function selectList(query: FactQuery): Statement {
  const parameters = new Parameters();
  const keys = query.scopes.map(scopeKey);
  const limit = parameters.bind(query.limit, 'bigint');
  const asked = [parameters.bind(keys, 'text[]')];
  const branches = branchesOf(query).map((branch, index) => {
    const { column } = branch;
    const hashes = keys.map((key) => hashOf(column, key, query));
    asked.push(parameters.bind(hashes, 'bigint[]'));
    return `(${branchOf(branch, query, parameters, { limit, hash: `q.hash_${index}` })})`;
  });
  const sql = `
    SELECT ${COLUMNS} FROM unnest(${asked.join(', ')}) AS q (scope_key, hash_0, hash_1) ${IN_SCOPE}
    CROSS JOIN LATERAL (${branches.join(' UNION ALL ')}) f ${ORDER} LIMIT ${limit}`;
  return { sql, values: parameters.values };
}

function branchOf(
  { column, half, comparisons, isOrdered }: Branch,
  { after }: FactQuery,
  parameters: Parameters,
  { limit, hash }: { readonly limit: string; readonly hash: string },
): string {
  const conditions = comparisons.map(
    ({ left, operator, value, type }) => `${left} ${operator} ${parameters.bind(value, type)}`,
  );
  if (after !== undefined) {
    const [confidence, createdAt, factId] = [
      parameters.bind(after.confidence, 'double precision'),
      parameters.bind(Date.parse(after.createdAt), 'bigint'),
      parameters.bind(after.factId, 'uuid'),
    ];
    conditions.push(`(f.confidence, f.created_at, f.fact_id) < (${confidence}, ${createdAt}, ${factId})`);
  }
  const where = [IN_TENANT, LIES_THERE, `f.${column} = ${hash}`, half, ...conditions].join(' AND ');
  const rows = `SELECT f.* FROM lamina.facts f WHERE ${where}`;
  // In the order of the index, which leaves the planner no choice either.
  return `${isOrdered ? rows : `SELECT f.* FROM (${rows} ORDER BY f.valid_to OFFSET 0) f`} ${ORDER} LIMIT ${limit}`;
}

export function selectEdges(query: EdgeQuery): Statement {
  const parameters = new Parameters();
  const [time, most] = [parameters.bind(query.at, 'bigint'), parameters.bind(query.limit, 'bigint')];
  const along = query.predicates === undefined ? '' : 'AND f.predicate = q.predicate';
  const halves = waysOf(query).flatMap((way) => {
    const leads = query.scopes.flatMap((scope) => {
      const key = scopeKey(scope);
      return leadsOf(key, way, query).map((lead) => ({ scope_key: key, ...lead }));
    });
    const asked = parameters.bind(JSON.stringify(leads), 'json');
    return ['IS NULL', `> ${time}`].map(
      (ends) => `
      SELECT f.*, s.key FROM json_to_recordset(${asked}) AS q (scope_key text, hash bigint, node text, predicate text) ${IN_SCOPE}
      CROSS JOIN LATERAL (
        SELECT f.* FROM lamina.facts f
        WHERE ${IN_TENANT} AND ${LIES_THERE} AND f.${way.column} = q.hash AND f.${way.end} = q.node ${along}
          AND f.valid_to ${ends} AND f.valid_from <= ${time} LIMIT ${most}) f`,
    );
  });
  const sql = `SELECT f.fact_id, f.key AS scope_key, ${READ_COLUMNS} FROM (${halves.join(' UNION ALL ')} LIMIT ${most}) f`;
  return { sql, values: parameters.values };
}
