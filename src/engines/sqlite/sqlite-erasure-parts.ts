/** What belongs to a user and what there is in a tenant, table by table: the one list by which to count and remove. */

import { NOTHING_COUNTED, type ErasureCounts } from '../../domain/erasure.ts';
import { COUNTED_TABLES } from '../sql/erasure-counts.ts';
import type { SqliteConnection } from './sqlite-connection.ts';

/** What a condition is about. */
export interface UserParts {
  readonly userId: string;
  /** JSON lists, as `json_each` takes them. */
  readonly planIds: string;
  readonly namespaces: string;
}

interface Part {
  readonly name: keyof ErasureCounts;
  readonly table: string;
  /** Which rows are the user's; takes the values of `by`. */
  readonly where: string;
  readonly by: readonly (keyof UserParts)[];
}

const OWN_ENTRIES = 'FROM entries WHERE owner_id = ?';
const IN_LIST = 'IN (SELECT value FROM json_each(?))';

/** They go with their entries, whose text index has to be told as well. */
const ENTRY_PARTS: readonly Part[] = [
  { name: 'entries', table: 'entries', where: 'owner_id = ?', by: ['userId'] },
  { name: 'versions', table: 'entry_versions', where: `seq IN (SELECT seq ${OWN_ENTRIES})`, by: ['userId'] },
  { name: 'embeddings', table: 'embeddings', where: `seq IN (SELECT seq ${OWN_ENTRIES})`, by: ['userId'] },
  { name: 'events', table: 'events', where: `entry_id IN (SELECT id ${OWN_ENTRIES})`, by: ['userId'] },
];

/** Everything else, in an order in which it can be removed. */
const OTHER_PARTS: readonly Part[] = [
  // Of entries that are gone since: what the user did to them, and what only the user may see.
  {
    name: 'events',
    table: 'events',
    where: '? IN (actor_id, audience) AND entry_id NOT IN (SELECT id FROM entries)',
    by: ['userId'],
  },
  { name: 'state', table: 'state', where: `namespace ${IN_LIST}`, by: ['namespaces'] },
  { name: 'taskContexts', table: 'task_context', where: `plan_id ${IN_LIST}`, by: ['planIds'] },
  { name: 'planContexts', table: 'plan_context', where: `plan_id ${IN_LIST}`, by: ['planIds'] },
  { name: 'plans', table: 'plans', where: 'user_id = ?', by: ['userId'] },
  { name: 'sessions', table: 'sessions', where: 'user_id = ?', by: ['userId'] },
  { name: 'apiKeys', table: 'api_keys', where: 'user_id = ?', by: ['userId'] },
  { name: 'users', table: 'users', where: 'id = ?', by: ['userId'] },
];

/** What names the user although it belongs to others, and survives. */
const MENTIONS: readonly Part[] = [
  {
    name: 'mentions',
    table: 'entries',
    where: "owner_id <> ? AND json_extract(identifiers, '$.userId') = ?",
    by: ['userId', 'userId'],
  },
  {
    name: 'mentions',
    table: 'entry_versions',
    where: `
      ? IN (json_extract(entry, '$.identifiers.userId'), json_extract(entry, '$.ownerId'))
      AND seq NOT IN (SELECT seq ${OWN_ENTRIES})`,
    by: ['userId', 'userId'],
  },
  {
    name: 'mentions',
    table: 'events',
    where: 'actor_id = ? AND entry_id IN (SELECT id FROM entries WHERE owner_id <> ?)',
    by: ['userId', 'userId'],
  },
  { name: 'mentions', table: 'audit_log', where: 'actor = ?', by: ['userId'] },
];

/** Beside what is counted; in the order in which references allow it. */
const EVERYTHING = ['entry_versions', 'embeddings', 'embedding_codes', 'entries', 'partitions', 'record_links'];
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

// Also the plan contexts that name a session of the user but whose plan was never recorded as anyone's.
const PLANS_OF_USER = `
  SELECT plan_id AS planId FROM plans WHERE user_id = ?
  UNION
  SELECT c.plan_id FROM plan_context c JOIN sessions s ON s.session_id = c.session_id
  WHERE s.user_id = ? AND c.plan_id NOT IN (SELECT plan_id FROM plans)`;

export function partsOf(
  connection: SqliteConnection,
  userId: string,
  namespaceOfPlan: (planId: string) => string,
): UserParts {
  const planIds = connection.all<{ planId: string }>(PLANS_OF_USER, userId, userId).map(({ planId }) => planId);
  return {
    userId,
    planIds: JSON.stringify(planIds),
    namespaces: JSON.stringify(planIds.map(namespaceOfPlan)),
  };
}

export function countUser(connection: SqliteConnection, user: UserParts): ErasureCounts {
  const counts = { ...NOTHING_COUNTED };
  for (const { name, table, where, by } of [...ENTRY_PARTS, ...OTHER_PARTS, ...MENTIONS]) {
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
  return counts;
}

const STRIKE_IDENTIFIER = `
  UPDATE entries SET identifiers = json_remove(identifiers, '$.userId')
  WHERE json_extract(identifiers, '$.userId') = ?`;
const STRIKE_VERSION = `
  UPDATE entry_versions SET entry = json_set(
    CASE WHEN json_extract(entry, '$.identifiers.userId') = ? THEN json_remove(entry, '$.identifiers.userId') ELSE entry END,
    '$.ownerId', nullif(json_extract(entry, '$.ownerId'), ?))
  WHERE ? IN (json_extract(entry, '$.identifiers.userId'), json_extract(entry, '$.ownerId'))`;
const STRIKE_EVENTS = "UPDATE events SET actor_id = '' WHERE actor_id = ?";
const STRIKE_AUDIT = 'UPDATE audit_log SET actor = ? WHERE actor = ?';

/** Strikes the id out of what survives, and counts where. Call when the user's own entries are gone. */
export function strikeMentions(connection: SqliteConnection, userId: string, pseudonym: string): number {
  return (
    connection.run(STRIKE_IDENTIFIER, userId).changes +
    connection.run(STRIKE_VERSION, userId, userId, userId).changes +
    connection.run(STRIKE_EVENTS, userId).changes +
    connection.run(STRIKE_AUDIT, pseudonym, userId).changes
  );
}
