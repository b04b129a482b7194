/** What belongs to a user and what there is in a tenant, table by table: the one list by which to count and remove. */

import { NOTHING_COUNTED, type ErasureCounts } from '../../domain/erasure.ts';
import { COUNTED_TABLES } from '../sql/erasure-counts.ts';
import type { PostgresTransaction } from './postgres-database.ts';
import type { Parameter } from './postgres-driver.ts';

/** What a condition is about. */
export interface UserParts {
  readonly tenantId: string;
  readonly userId: string;
  readonly planIds: readonly string[];
  readonly namespaces: readonly string[];
}

interface Part {
  readonly name: keyof ErasureCounts;
  readonly table: string;
  /** Which rows `t` of the tenant are the user's. $1 is the tenant; the values of `by` follow. */
  readonly where: string;
  readonly by: readonly (keyof UserParts)[];
}

const OWN = 'FROM lamina.entries o WHERE o.tenant_id = $1 AND o.owner_id = $2';
const ENTRY_OF_EVENT = 'FROM lamina.entries o WHERE o.tenant_id = $1 AND o.id = t.entry_id';

/** They go with their entries. */
const ENTRY_PARTS: readonly Part[] = [
  { name: 'entries', table: 'entries', where: 't.owner_id = $2', by: ['userId'] },
  { name: 'versions', table: 'entry_versions', where: `t.seq IN (SELECT o.seq ${OWN})`, by: ['userId'] },
  { name: 'embeddings', table: 'embeddings', where: `t.seq IN (SELECT o.seq ${OWN})`, by: ['userId'] },
  { name: 'events', table: 'events', where: `t.entry_id IN (SELECT o.id ${OWN})`, by: ['userId'] },
];

/** Of entries that are gone since: what the user did to them, and what only the user may see. */
const LEFT_EVENTS: Part = {
  name: 'events',
  table: 'events',
  where: `(t.actor_id = $2 OR t.audience = $2) AND NOT EXISTS (SELECT 1 ${ENTRY_OF_EVENT})`,
  by: ['userId'],
};

/** Everything else, in an order in which it can be removed. */
const OTHER_PARTS: readonly Part[] = [
  LEFT_EVENTS,
  { name: 'state', table: 'state', where: 't.namespace = ANY ($2::text[])', by: ['namespaces'] },
  { name: 'taskContexts', table: 'task_context', where: 't.plan_id = ANY ($2::text[])', by: ['planIds'] },
  { name: 'planContexts', table: 'plan_context', where: 't.plan_id = ANY ($2::text[])', by: ['planIds'] },
  { name: 'plans', table: 'plans', where: 't.user_id = $2', by: ['userId'] },
  { name: 'sessions', table: 'sessions', where: 't.user_id = $2', by: ['userId'] },
  { name: 'apiKeys', table: 'api_keys', where: 't.user_id = $2', by: ['userId'] },
  { name: 'users', table: 'users', where: 't.id = $2', by: ['userId'] },
];

/** What names the user although it belongs to others, and survives; but for the entries: see {@link pageOfMentions}. */
const EVENT_MENTIONS: Part = {
  name: 'mentions',
  table: 'events',
  where: `t.actor_id = $2 AND EXISTS (SELECT 1 ${ENTRY_OF_EVENT} AND o.owner_id IS DISTINCT FROM $2)`,
  by: ['userId'],
};
const AUDIT_MENTIONS: Part = { name: 'mentions', table: 'audit_log', where: 't.actor = $2', by: ['userId'] };

// The links by which records are found lie in a table of their own.
const UNLINK_PLANS = `
  DELETE FROM lamina.record_links l
  WHERE l.tenant_id = $1 AND l.collection = 'plan_context' AND l.key = ANY ($2::text[])`;
const UNLINK_TASKS = `
  DELETE FROM lamina.record_links l
  WHERE l.tenant_id = $1 AND l.collection = 'task_context' AND l.key IN (
    SELECT t.task_id FROM lamina.task_context t WHERE t.tenant_id = $1 AND t.plan_id = ANY ($2::text[]))`;

// Also the plan contexts that name a session of the user but whose plan was never recorded as anyone's.
const PLANS_OF_USER = `
  SELECT p.plan_id AS "planId" FROM lamina.plans p WHERE p.tenant_id = $1 AND p.user_id = $2
  UNION
  SELECT c.plan_id FROM lamina.plan_context c
    JOIN lamina.sessions s ON s.tenant_id = c.tenant_id AND s.session_id = c.session_id
  WHERE c.tenant_id = $1 AND s.user_id = $2
    AND NOT EXISTS (SELECT 1 FROM lamina.plans p WHERE p.tenant_id = $1 AND p.plan_id = c.plan_id)`;

const COUNT_TENANT = `SELECT ${Object.entries(COUNTED_TABLES)
  .filter(([, table]) => table !== undefined)
  .map(([name, table]) => `(SELECT count(*) FROM lamina.${table} WHERE tenant_id = $1) AS "${name}"`)
  .join(', ')}`;

export async function partsOf(
  transaction: PostgresTransaction,
  tenantId: string,
  userId: string,
  namespaceOfPlan: (planId: string) => string,
): Promise<UserParts> {
  const { rows } = await transaction.query<{ planId: string }>(PLANS_OF_USER, [tenantId, userId]);
  const planIds = rows.map(({ planId }) => planId);
  return { tenantId, userId, planIds, namespaces: planIds.map(namespaceOfPlan) };
}

/** But for mentions in entries. */
export async function countUser(transaction: PostgresTransaction, user: UserParts): Promise<ErasureCounts> {
  const parts = [...ENTRY_PARTS, ...OTHER_PARTS, EVENT_MENTIONS, AUDIT_MENTIONS];
  return summed(
    parts,
    parts.map(async (part) => {
      const { rows } = await transaction.query<{ count: number }>(
        `SELECT count(*) AS count FROM lamina.${part.table} t WHERE t.tenant_id = $1 AND ${part.where}`,
        valuesOf(part, user),
      );
      return rows[0]?.count ?? 0;
    }),
  );
}

export async function countTenant(transaction: PostgresTransaction, tenantId: string): Promise<ErasureCounts> {
  const { rows } = await transaction.query<Partial<ErasureCounts>>(COUNT_TENANT, [tenantId]);
  return { ...NOTHING_COUNTED, ...rows[0] };
}

/** Removes all that is the user's but for the entries, and strikes the name out of what survives; counts both. */
export function removeOthers(
  transaction: PostgresTransaction,
  user: UserParts,
  pseudonym: string,
): Promise<ErasureCounts> {
  transaction.send(UNLINK_PLANS, [user.tenantId, user.planIds]);
  transaction.send(UNLINK_TASKS, [user.tenantId, user.planIds]);
  const strikes = [
    { part: EVENT_MENTIONS, setting: "actor_id = ''", values: [] },
    { part: AUDIT_MENTIONS, setting: 'actor = $3', values: [pseudonym] },
  ].map(({ part, setting, values }) =>
    transaction.query(`UPDATE lamina.${part.table} t SET ${setting} WHERE t.tenant_id = $1 AND ${part.where}`, [
      ...valuesOf(part, user),
      ...values,
    ]),
  );
  const removals = OTHER_PARTS.map((part) =>
    transaction.query(
      `DELETE FROM lamina.${part.table} t WHERE t.tenant_id = $1 AND ${part.where}`,
      valuesOf(part, user),
    ),
  );
  return summed(
    [EVENT_MENTIONS, AUDIT_MENTIONS, ...OTHER_PARTS],
    [...strikes, ...removals].map(async (result) => (await result).count),
  );
}

/** Some of the events that would keep others waiting, were they all changed with the rest. */
export async function thinOutEvents(
  transaction: PostgresTransaction,
  user: Pick<UserParts, 'tenantId' | 'userId'>,
  limit: number,
): Promise<Partial<ErasureCounts>> {
  const some = ({ where }: Part): string => `
    (t.transaction, t.seq) IN (
      SELECT t.transaction, t.seq FROM lamina.events t WHERE t.tenant_id = $1 AND ${where} LIMIT $3)`;
  const values = [user.tenantId, user.userId, limit];
  const [removed, struck] = await Promise.all([
    transaction.query(`DELETE FROM lamina.events t WHERE t.tenant_id = $1 AND ${some(LEFT_EVENTS)}`, values),
    transaction.query(
      `UPDATE lamina.events t SET actor_id = '' WHERE t.tenant_id = $1 AND ${some(EVENT_MENTIONS)}`,
      values,
    ),
  ]);
  return { events: removed.count, mentions: struck.count };
}

function valuesOf({ by }: Part, user: UserParts): Parameter[] {
  return [user.tenantId, ...by.map((name) => user[name])];
}

async function summed(parts: readonly Part[], numbers: readonly Promise<number>[]): Promise<ErasureCounts> {
  const counts = { ...NOTHING_COUNTED };
  for (const [index, number] of (await Promise.all(numbers)).entries()) {
    const part = parts[index];
    if (part) counts[part.name] += number;
  }
  return counts;
}

// Entries of others that name the user, and their past. There is no index to find them by: a page at a time.
const MENTIONING = `
  page AS (
    SELECT e.seq, e.owner_id, e.identifiers FROM lamina.entries e
    WHERE e.tenant_id = $1 AND e.seq > $3 ORDER BY e.seq LIMIT $4),
  entry AS (SELECT p.seq FROM page p WHERE p.owner_id IS DISTINCT FROM $2 AND p.identifiers ->> 'userId' = $2),
  past AS (
    SELECT v.seq, v.version FROM lamina.entry_versions v JOIN page p ON p.seq = v.seq
    WHERE v.tenant_id = $1 AND p.owner_id IS DISTINCT FROM $2
      AND $2 IN (v.entry -> 'identifiers' ->> 'userId', v.entry ->> 'ownerId'))`;

const COUNT_MENTIONS = `
  WITH ${MENTIONING}
  SELECT (SELECT max(seq) FROM page) AS last,
         (SELECT count(*) FROM entry) + (SELECT count(*) FROM past) AS count`;

const STRIKE_MENTIONS = `
  WITH ${MENTIONING},
  struck_entry AS (
    UPDATE lamina.entries e SET identifiers = e.identifiers - 'userId' FROM entry m
    WHERE e.tenant_id = $1 AND e.seq = m.seq RETURNING 1),
  struck_past AS (
    UPDATE lamina.entry_versions v SET entry = jsonb_set(
      CASE WHEN v.entry -> 'identifiers' ->> 'userId' = $2
           THEN v.entry::jsonb #- '{identifiers,userId}' ELSE v.entry::jsonb END,
      '{ownerId}', coalesce(to_jsonb(nullif(v.entry ->> 'ownerId', $2)), 'null'))::json
    FROM past m WHERE v.tenant_id = $1 AND v.seq = m.seq AND v.version = m.version RETURNING 1)
  SELECT (SELECT max(seq) FROM page) AS last,
         (SELECT count(*) FROM struck_entry) + (SELECT count(*) FROM struck_past) AS count`;

export interface MentionPage {
  /** Where the page ended; null where there was none. */
  readonly last: number | null;
  readonly count: number;
}

/** The mentions in the next so many entries and in their past: counted, or struck out. */
export async function pageOfMentions(
  ask: (sql: string, values: readonly Parameter[]) => Promise<MentionPage[]>,
  act: 'count' | 'strike',
  { tenantId, userId }: Pick<UserParts, 'tenantId' | 'userId'>,
  after: number,
  limit: number,
): Promise<MentionPage> {
  const [page] = await ask(act === 'count' ? COUNT_MENTIONS : STRIKE_MENTIONS, [tenantId, userId, after, limit]);
  return page ?? { last: null, count: 0 };
}
