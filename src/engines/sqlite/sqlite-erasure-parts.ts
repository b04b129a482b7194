/** What belongs to a user and what there is in a tenant, table by table: the one list by which to count and remove. */

import { NOTHING_COUNTED, type ErasureCounts } from '../../domain/erasure.ts';
import { personalPrefixes, poolNamespace, sentPrefix } from '../../domain/namespace.ts';
import { COUNTED_TABLES } from '../sql/erasure-counts.ts';
import type { SqliteConnection } from './sqlite-connection.ts';
import { MENTIONS } from './sqlite-erasure-mentions.ts';

/** What a condition is about. */
export interface UserParts {
  readonly userId: string;
  /** JSON lists, as `json_each` takes them. */
  readonly planIds: string;
  readonly poolIds: string;
  readonly namespaces: string;
  /** What the user's own namespaces begin with; the same. */
  readonly prefixes: string;
  /** What the keys begin with of what the user has put into the inboxes of others. */
  readonly sent: string;
}

/** A condition with what it takes. */
export interface Part {
  readonly name: keyof ErasureCounts;
  readonly table: string;
  /** Which rows are the user's; takes the values of `by`. */
  readonly where: string;
  readonly by: readonly (keyof UserParts)[];
}

const OWN_ENTRIES = 'FROM entries WHERE owner_id = ?';
const IN_LIST = 'IN (SELECT value FROM json_each(?))';
// Namespaces in the order of their bytes: no prefix is followed by the last of all characters.
const BY_PREFIX = `
  IN (SELECT s.namespace FROM json_each(?) p CROSS JOIN state s
    ON s.namespace >= p.value AND s.namespace < p.value || char(0x10ffff))`;
const ALL_INBOXES = `namespace >= '["inbox",' AND namespace < '["inbox",' || char(0x10ffff)`;

/** They go with their entries, whose text index has to be told as well. */
const ENTRY_PARTS: readonly Part[] = [
  { name: 'entries', table: 'entries', where: 'owner_id = ?', by: ['userId'] },
  { name: 'versions', table: 'entry_versions', where: `seq IN (SELECT seq ${OWN_ENTRIES})`, by: ['userId'] },
  { name: 'embeddings', table: 'embeddings', where: `seq IN (SELECT seq ${OWN_ENTRIES})`, by: ['userId'] },
  { name: 'events', table: 'events', where: `entry_id IN (SELECT id ${OWN_ENTRIES})`, by: ['userId'] },
];

/** There may be many: most of them go before the rest. See {@link removeFacts}. */
const OWN_FACTS: Part = {
  name: 'facts',
  table: 'facts',
  where: "scope_id IN (SELECT scope_id FROM fact_scopes WHERE owner_id = ? AND owner_id <> '')",
  by: ['userId'],
};

/** Everything else, in an order in which it can be removed. */
const OTHER_PARTS: readonly Part[] = [
  // Of entries that are gone since: what the user did to them, and what only the user may see.
  {
    name: 'events',
    table: 'events',
    where: '? IN (actor_id, audience) AND entry_id NOT IN (SELECT id FROM entries)',
    by: ['userId'],
  },
  // Before the values, whose going is an event again: see {@link removeOthers}.
  { name: 'events', table: 'events', where: `pool_id <> '' AND pool_id ${IN_LIST}`, by: ['poolIds'] },
  { name: 'state', table: 'state', where: `namespace ${IN_LIST}`, by: ['namespaces'] },
  { name: 'state', table: 'state', where: `namespace ${BY_PREFIX}`, by: ['prefixes'] },
  {
    name: 'state',
    table: 'state',
    where: `${ALL_INBOXES} AND instr(key, ?) = 1 AND namespace NOT ${BY_PREFIX}`,
    by: ['sent', 'prefixes'],
  },
  { name: 'taskContexts', table: 'task_context', where: `plan_id ${IN_LIST}`, by: ['planIds'] },
  { name: 'planContexts', table: 'plan_context', where: `plan_id ${IN_LIST}`, by: ['planIds'] },
  { name: 'plans', table: 'plans', where: 'user_id = ?', by: ['userId'] },
  { name: 'sessions', table: 'sessions', where: 'user_id = ?', by: ['userId'] },
  { name: 'apiKeys', table: 'api_keys', where: 'user_id = ?', by: ['userId'] },
  { name: 'pools', table: 'pools', where: 'owner_id = ?', by: ['userId'] },
  { name: 'contexts', table: 'contexts', where: 'owner_id = ?', by: ['userId'] },
  { name: 'contextSnapshots', table: 'context_snapshots', where: 'owner_id = ?', by: ['userId'] },
  { name: 'contextAccesses', table: 'context_accesses', where: 'owner_id = ?', by: ['userId'] },
  OWN_FACTS,
  { name: 'users', table: 'users', where: 'id = ?', by: ['userId'] },
];

/**
 * Beside what is counted; in the order in which references allow it. That the values of pools go is an event again, so
 * that events go after them.
 */
const EVERYTHING = [
  'state',
  'events',
  'entry_versions',
  'embeddings',
  'embedding_codes',
  'entries',
  'partitions',
  'record_links',
  'facts',
  'fact_scopes',
  'data_keys',
];
const EMPTY_TEXT_INDEX = "INSERT INTO entry_text (entry_text) VALUES ('delete-all')";

/** Empties every table that holds anything of anybody. */
export function removeEverything(connection: SqliteConnection): void {
  connection.run(EMPTY_TEXT_INDEX);
  const tables = new Set([...EVERYTHING, ...Object.values(COUNTED_TABLES)]);
  for (const table of tables) if (table !== undefined) connection.run(`DELETE FROM ${table}`);
}

// The links by which records are found lie in a table of their own.
const UNLINK_PLANS = `DELETE FROM record_links WHERE collection = 'plan_context' AND key ${IN_LIST}`;
const UNLINK_TASKS = `
  DELETE FROM record_links
  WHERE collection = 'task_context' AND key IN (SELECT task_id FROM task_context WHERE plan_id ${IN_LIST})`;

const POOLS_OF_USER = 'SELECT pool_id AS poolId FROM pools WHERE owner_id = ?';
// Also the plan contexts that name a session of the user but whose plan was never recorded as anyone's.
const PLANS_OF_USER = `
  SELECT plan_id AS planId FROM plans WHERE user_id = ?
  UNION
  SELECT c.plan_id FROM plan_context c JOIN sessions s ON s.session_id = c.session_id
  WHERE s.user_id = ? AND c.plan_id NOT IN (SELECT plan_id FROM plans)`;

const DELETE_SOME_FACTS = `DELETE FROM facts WHERE seq IN (SELECT seq FROM facts WHERE ${OWN_FACTS.where} LIMIT ?)`;
const DELETE_FACT_SCOPES = "DELETE FROM fact_scopes WHERE owner_id = ? AND owner_id <> ''";

/** Removes at most so many facts of the user; says how many. */
export function removeFacts(connection: SqliteConnection, userId: string, limit: number): number {
  return connection.run(DELETE_SOME_FACTS, userId, limit).changes;
}

export function partsOf(
  connection: SqliteConnection,
  userId: string,
  namespaceOfPlan: (planId: string) => string,
): UserParts {
  const planIds = connection.all<{ planId: string }>(PLANS_OF_USER, userId, userId).map(({ planId }) => planId);
  const poolIds = connection.all<{ poolId: string }>(POOLS_OF_USER, userId).map(({ poolId }) => poolId);
  return {
    userId,
    planIds: JSON.stringify(planIds),
    poolIds: JSON.stringify(poolIds),
    namespaces: JSON.stringify([...planIds.map(namespaceOfPlan), ...poolIds.map(poolNamespace)]),
    prefixes: JSON.stringify(personalPrefixes(userId)),
    sent: sentPrefix(userId),
  };
}

export function countUser(connection: SqliteConnection, user: UserParts): ErasureCounts {
  return countParts(connection, user, [...ENTRY_PARTS, ...OTHER_PARTS, ...MENTIONS]);
}

/** The same without what it takes a walk through the whole log to tell. */
export function countOwn(connection: SqliteConnection, user: UserParts): Omit<ErasureCounts, 'events' | 'mentions'> {
  const parts = [...ENTRY_PARTS, ...OTHER_PARTS].filter(({ name }) => name !== 'events');
  const { events: _events, mentions: _mentions, ...counts } = countParts(connection, user, parts);
  return counts;
}

function countParts(connection: SqliteConnection, user: UserParts, parts: readonly Part[]): ErasureCounts {
  const counts = { ...NOTHING_COUNTED };
  for (const { name, table, where, by } of parts) {
    const sql = `SELECT count(*) AS count FROM ${table} WHERE ${where}`;
    counts[name] += connection.first<{ count: number }>(sql, ...by.map((value) => user[value]))?.count ?? 0;
  }
  return counts;
}

export function countTenant(connection: SqliteConnection): ErasureCounts {
  const counts = { ...NOTHING_COUNTED };
  for (const [name, table] of Object.entries(COUNTED_TABLES)) {
    if (table === undefined) continue;
    const row = connection.first<{ count: number }>(`SELECT count(*) AS count FROM ${table}`);
    counts[name as keyof ErasureCounts] = row?.count ?? 0;
  }
  return counts;
}

/** Removes all that is the user's but for the entries; counts it. */
export function removeOthers(connection: SqliteConnection, user: UserParts): ErasureCounts {
  const counts = { ...NOTHING_COUNTED };
  connection.run(UNLINK_PLANS, user.planIds);
  connection.run(UNLINK_TASKS, user.planIds);
  for (const { name, table, where, by } of OTHER_PARTS) {
    const sql = `DELETE FROM ${table} WHERE ${where}`;
    counts[name] += connection.run(sql, ...by.map((value) => user[value])).changes;
  }
  connection.run(DELETE_FACT_SCOPES, user.userId);
  return counts;
}
