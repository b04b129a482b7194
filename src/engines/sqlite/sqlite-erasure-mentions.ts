/** What names a user although it belongs to others, and survives: to be counted, and to be struck. */

import type { SqliteConnection } from './sqlite-connection.ts';
import type { Part } from './sqlite-erasure-parts.ts';

const OF_OTHERS = 'seq NOT IN (SELECT seq FROM entries WHERE owner_id = ?)';
/** Whether somebody is this user, or an agent of this user's, which stands behind a slash. */
function isUser(who: string): string {
  return `instr(${who} || '/', ? || '/') = 1`;
}

const IS_EDITOR = isUser(`json_extract(metadata, '$."context.editedBy"')`);
const WAS_EDITOR = isUser(`json_extract(entry, '$.metadata."context.editedBy"')`);
const IS_CREATOR = isUser('created_by');
const IS_MEMBER = "members <> '[]' AND EXISTS (SELECT 1 FROM json_each(members) WHERE value = ?)";

// What a run of maintenance did to an entry of the user's.
const TOUCHES_OWN = `
  EXISTS (SELECT 1 FROM json_each(changes) c JOIN entries e ON e.id = json_extract(c.value, '$.entryId')
    WHERE e.owner_id = ?)`;

function mention(table: string, where: string, by: Part['by']): Part {
  return { name: 'mentions', table, where, by };
}

export const MENTIONS: readonly Part[] = [
  mention('entries', "owner_id <> ? AND json_extract(identifiers, '$.userId') = ?", ['userId', 'userId']),
  mention('entries', `owner_id <> ? AND ${IS_EDITOR}`, ['userId', 'userId']),
  mention(
    'entry_versions',
    `? IN (json_extract(entry, '$.identifiers.userId'), json_extract(entry, '$.ownerId')) AND ${OF_OTHERS}`,
    ['userId', 'userId'],
  ),
  mention('entry_versions', `${WAS_EDITOR} AND ${OF_OTHERS}`, ['userId', 'userId']),
  mention('events', 'actor_id = ? AND entry_id IN (SELECT id FROM entries WHERE owner_id <> ?)', ['userId', 'userId']),
  mention('pools', `owner_id <> ? AND ${IS_MEMBER}`, ['userId', 'userId']),
  mention('contexts', `owner_id <> ? AND ${IS_MEMBER}`, ['userId', 'userId']),
  mention('context_snapshots', `owner_id <> ? AND ${IS_CREATOR}`, ['userId', 'userId']),
  mention('context_accesses', 'owner_id <> ? AND actor_id = ?', ['userId', 'userId']),
  mention('maintenance_runs', TOUCHES_OWN, ['userId']),
  mention('audit_log', 'actor = ?', ['userId']),
];

const STRIKE_IDENTIFIER = `
  UPDATE entries SET identifiers = json_remove(identifiers, '$.userId')
  WHERE json_extract(identifiers, '$.userId') = ?`;
const STRIKE_VERSION = `
  UPDATE entry_versions SET entry = json_set(
    CASE WHEN json_extract(entry, '$.identifiers.userId') = ? THEN json_remove(entry, '$.identifiers.userId') ELSE entry END,
    '$.ownerId', nullif(json_extract(entry, '$.ownerId'), ?))
  WHERE ? IN (json_extract(entry, '$.identifiers.userId'), json_extract(entry, '$.ownerId'))`;
const STRIKE_EVENTS = "UPDATE events SET actor_id = '' WHERE actor_id = ?";

/** They take the pseudonym and the user. */
const REPLACE_BY_PSEUDONYM = [
  `UPDATE entries SET metadata = json_set(metadata, '$."context.editedBy"', ?) WHERE ${IS_EDITOR}`,
  `UPDATE entry_versions SET entry = json_set(entry, '$.metadata."context.editedBy"', ?) WHERE ${WAS_EDITOR}`,
  `UPDATE context_snapshots SET created_by = ? WHERE ${IS_CREATOR}`,
  'UPDATE context_accesses SET actor_id = ?, agent_id = NULL WHERE actor_id = ?',
  'UPDATE audit_log SET actor = ? WHERE actor = ?',
];

/** A list of an access list without the user. */
function without(list: string): string {
  return `(SELECT json_group_array(value) FROM json_each(${list}) WHERE value <> ?)`;
}

const STRIKE_MEMBER = ['pools', 'contexts'].map(
  (table) => `
    UPDATE ${table} SET
      access = json_set(access, '$.read', ${without("access, '$.read'")}, '$.write', ${without("access, '$.write'")}),
      members = ${without('members')}
    WHERE ${IS_MEMBER}`,
);

const STRIKE_CHANGES = `
  UPDATE maintenance_runs SET changes = (
    SELECT json_group_array(json(c.value)) FROM json_each(changes) c
    WHERE coalesce(json_extract(c.value, '$.entryId'), '') NOT IN (SELECT id FROM entries WHERE owner_id = ?))
  WHERE ${TOUCHES_OWN}`;

/** Strikes the user's entries out of what was done to them, and counts where. Call while they are still there. */
export function strikeChanges(connection: SqliteConnection, userId: string): number {
  return connection.run(STRIKE_CHANGES, userId, userId).changes;
}

/** Strikes the id out of what survives, and counts where. Call when all that is the user's own is gone. */
export function strikeMentions(connection: SqliteConnection, userId: string, pseudonym: string): number {
  const run = (sql: string, ...values: string[]): number => connection.run(sql, ...values).changes;
  const struck = [
    run(STRIKE_IDENTIFIER, userId),
    run(STRIKE_VERSION, userId, userId, userId),
    run(STRIKE_EVENTS, userId),
    ...STRIKE_MEMBER.map((sql) => run(sql, userId, userId, userId, userId)),
    ...REPLACE_BY_PSEUDONYM.map((sql) => run(sql, pseudonym, userId)),
  ];
  return struck.reduce((sum, count) => sum + count, 0);
}
