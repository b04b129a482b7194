/** What belongs to a user and what there is in a tenant, table by table: the one list by which to count and remove. */

import { NOTHING_COUNTED, type ErasureCounts } from '../../domain/erasure.ts';
import { personalPrefixes, poolNamespace, sentPrefix } from '../../domain/namespace.ts';
import { COUNTED_TABLES } from '../sql/erasure-counts.ts';
import type { PostgresTransaction } from './postgres-sending.ts';
import type { Parameter } from './postgres-driver.ts';
import { EVENT_MENTIONS, MENTIONS, strikeOf } from './postgres-erasure-mentions.ts';

/** What a condition is about. */
export interface UserParts {
  readonly tenantId: string;
  readonly userId: string;
  readonly planIds: readonly string[];
  /** Of the user's plans and pools. */
  readonly namespaces: readonly string[];
  /** What the user's own namespaces begin with. */
  readonly prefixes: readonly string[];
  /** What the keys begin with of what the user has put into the inboxes of others. */
  readonly sent: string;
}

export interface Part {
  readonly name: keyof ErasureCounts;
  readonly table: string;
  /** Which rows `t` of the tenant are the user's. $1 is the tenant; the values of `by` follow. */
  readonly where: string;
  readonly by: readonly (keyof UserParts)[];
}

const OWN = 'FROM lamina.entries o WHERE o.tenant_id = $1 AND o.owner_id = $2';
// Not as EXISTS, which the planner would turn into a join of all events with all entries where it knows little of either.
const ENTRY_OF_EVENT = '(SELECT true FROM lamina.entries o WHERE o.tenant_id = $1 AND o.id = t.entry_id LIMIT 1)';
// Namespaces in the order of their bytes: no prefix is followed by the last of all characters.
const BY_PREFIX = `
  (t.namespace, t.key) IN (
    SELECT s.namespace, s.key FROM unnest($2::text[]) AS p (prefix) CROSS JOIN LATERAL (
      SELECT s.namespace, s.key FROM lamina.state s
      WHERE s.tenant_id = $1 AND s.namespace >= p.prefix AND s.namespace < p.prefix || chr(1114111) OFFSET 0) s)`;
const SENT = `
  t.namespace >= '["inbox",' AND t.namespace < '["inbox",' || chr(1114111) AND t.key ^@ $2
  AND NOT t.namespace ^@ ANY ($3::text[])`;

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
  where: `(t.actor_id = $2 OR t.audience = $2) AND t.pool_id IS NULL AND ${ENTRY_OF_EVENT} IS NULL`,
  by: ['userId'],
};

/** Of the values of the user's pools. That these go is an event again, which goes with the pool. */
const POOL_EVENTS: Part = {
  name: 'events',
  table: 'events',
  where: 't.pool_id IN (SELECT p.pool_id FROM lamina.pools p WHERE p.tenant_id = $1 AND p.owner_id = $2)',
  by: ['userId'],
};

/** There may be many: most of them go before the rest. See {@link thinOutFacts}. Their scopes go with the user. */
const OWN_FACTS: Part = {
  name: 'facts',
  table: 'facts',
  where: 't.scope_id IN (SELECT s.scope_id FROM lamina.fact_scopes s WHERE s.tenant_id = $1 AND s.owner_id = $2)',
  by: ['userId'],
};

/** Everything else, in an order in which it can be removed. */
const OTHER_PARTS: readonly Part[] = [
  LEFT_EVENTS,
  POOL_EVENTS,
  { name: 'state', table: 'state', where: 't.namespace = ANY ($2::text[])', by: ['namespaces'] },
  { name: 'state', table: 'state', where: BY_PREFIX, by: ['prefixes'] },
  { name: 'state', table: 'state', where: SENT, by: ['sent', 'prefixes'] },
  { name: 'taskContexts', table: 'task_context', where: 't.plan_id = ANY ($2::text[])', by: ['planIds'] },
  { name: 'planContexts', table: 'plan_context', where: 't.plan_id = ANY ($2::text[])', by: ['planIds'] },
  { name: 'plans', table: 'plans', where: 't.user_id = $2', by: ['userId'] },
  { name: 'sessions', table: 'sessions', where: 't.user_id = $2', by: ['userId'] },
  { name: 'apiKeys', table: 'api_keys', where: 't.user_id = $2', by: ['userId'] },
  { name: 'pools', table: 'pools', where: 't.owner_id = $2', by: ['userId'] },
  { name: 'contexts', table: 'contexts', where: 't.owner_id = $2', by: ['userId'] },
  { name: 'contextSnapshots', table: 'context_snapshots', where: 't.owner_id = $2', by: ['userId'] },
  { name: 'contextAccesses', table: 'context_accesses', where: 't.owner_id = $2', by: ['userId'] },
  OWN_FACTS,
  { name: 'users', table: 'users', where: 't.id = $2', by: ['userId'] },
];

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

const POOLS_OF_USER = 'SELECT pool_id AS "poolId" FROM lamina.pools WHERE tenant_id = $1 AND owner_id = $2';

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
  const [plans, pools] = await Promise.all([
    transaction.query<{ planId: string }>(PLANS_OF_USER, [tenantId, userId]),
    transaction.query<{ poolId: string }>(POOLS_OF_USER, [tenantId, userId]),
  ]);
  const planIds = plans.rows.map(({ planId }) => planId);
  return {
    tenantId,
    userId,
    planIds,
    namespaces: [...planIds.map(namespaceOfPlan), ...pools.rows.map(({ poolId }) => poolNamespace(poolId))],
    prefixes: personalPrefixes(userId),
    sent: sentPrefix(userId),
  };
}

/** But for mentions in entries. */
export function countUser(transaction: PostgresTransaction, user: UserParts): Promise<ErasureCounts> {
  return countParts(transaction, user, [...ENTRY_PARTS, ...OTHER_PARTS, ...MENTIONS.map(({ part }) => part)]);
}

/** The same without what it takes a walk through the whole log to tell. */
export async function countOwn(
  transaction: PostgresTransaction,
  user: UserParts,
): Promise<Omit<ErasureCounts, 'events' | 'mentions'>> {
  const parts = [...ENTRY_PARTS, ...OTHER_PARTS].filter(({ name }) => name !== 'events');
  const { events: _events, mentions: _mentions, ...counts } = await countParts(transaction, user, parts);
  return counts;
}

function countParts(transaction: PostgresTransaction, user: UserParts, parts: readonly Part[]): Promise<ErasureCounts> {
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
  const strikes = MENTIONS.map((each) =>
    transaction.query(strikeOf(each), [...valuesOf(each.part, user), ...(each.isPseudonymous ? [pseudonym] : [])]),
  );
  const removals = OTHER_PARTS.map((part) =>
    transaction.query(
      `DELETE FROM lamina.${part.table} t WHERE t.tenant_id = $1 AND ${part.where}`,
      valuesOf(part, user),
    ),
  );
  return summed(
    [...MENTIONS.map(({ part }) => part), ...OTHER_PARTS],
    [...strikes, ...removals].map(async (result) => (await result).count),
  );
}

/** Some of the facts, for the same reason as with events. */
export async function thinOutFacts(
  transaction: PostgresTransaction,
  user: Pick<UserParts, 'tenantId' | 'userId'>,
  limit: number,
): Promise<number> {
  const sql = `
    DELETE FROM lamina.facts t WHERE t.ctid = ANY (ARRAY(
      SELECT t.ctid FROM lamina.facts t WHERE t.tenant_id = $1 AND ${OWN_FACTS.where} LIMIT $3))`;
  return (await transaction.query(sql, [user.tenantId, user.userId, limit])).count;
}

/** Some of the events that would keep others waiting, were they all changed with the rest. */
export async function thinOutEvents(
  transaction: PostgresTransaction,
  user: Pick<UserParts, 'tenantId' | 'userId'>,
  limit: number,
): Promise<Partial<ErasureCounts>> {
  const some = ({ where }: Part): string => `
    t.ctid = ANY (ARRAY(SELECT t.ctid FROM lamina.events t WHERE t.tenant_id = $1 AND ${where} LIMIT $3))`;
  const values = [user.tenantId, user.userId, limit];
  const remove = async (part: Part): Promise<number> =>
    (await transaction.query(`DELETE FROM lamina.events t WHERE t.tenant_id = $1 AND ${some(part)}`, values)).count;
  const [left, ofPools, struck] = await Promise.all([
    remove(LEFT_EVENTS),
    remove(POOL_EVENTS),
    transaction.query(
      `UPDATE lamina.events t SET actor_id = '' WHERE t.tenant_id = $1 AND ${some(EVENT_MENTIONS)}`,
      values,
    ),
  ]);
  return { events: left + ofPools, mentions: struck.count };
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
