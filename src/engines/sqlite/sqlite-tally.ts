/** Counting what a tenant's file holds: by this thread, or by one of its own where that takes a while. */

import { statSync } from 'node:fs';
import type { DayOfGrowth, MemoryGroup, Sizes, SpaceSize } from '../../domain/inspection.ts';
import { workingNamespace } from '../../domain/namespace.ts';
import type { Tally } from '../../ports/inspector.ts';
import { growthOf, type EventTally } from '../sql/growth.ts';
import type { SqliteConnection } from './sqlite-connection.ts';
import { countOwn, countTenant, partsOf } from './sqlite-erasure-parts.ts';

/** Whose: of a user as that user sees it, and as that agent where one is named; of the tenant where there is no user. */
export interface TallyQuery {
  readonly userId?: string | undefined;
  readonly agentId?: string | undefined;
  /** Milliseconds. */
  readonly since: number;
  /** What has expired by then is in no group. Milliseconds. */
  readonly now: number;
}

// Partitions count their entries, also those that have expired and are not removed yet. The key of one is [kind, audience, scope, shelf?], the scope [layer, ids…, context?].
const AUDIENCE = "json_extract(p.key, '$[1]')";
const IS_IN_CONTEXT = `
  json_array_length(json_extract(p.key, '$[2]')) > CASE WHEN p.layer IN ('agent', 'session') THEN 3 ELSE 2 END`;
const SEEN = `
  AND NOT (${IS_IN_CONTEXT}) AND (${AUDIENCE} = '' OR (${AUDIENCE} = a.user_id AND (a.agent_id = '' OR p.layer <> 'agent'
    OR json_extract(json_extract(p.key, '$[2]'), '$[2]') = a.agent_id)))`;

// By the index of what expires, which is mostly little: to look at each entry would take longer than all else.
const EXPIRED = `
  SELECT e.partition_id, count(*) AS count, sum(e.created_at >= ?) AS created FROM entries e INDEXED BY entries_expiry
  WHERE e.expires_at <= ? GROUP BY e.partition_id`;

function selectGroups(seen: string): string {
  return `
    SELECT p.layer, json_extract(p.key, '$[0]') AS kind, coalesce(json_extract(p.key, '$[3]'), 'active') AS status,
           ${IS_IN_CONTEXT} AS isInContext, sum(p.entry_count - coalesce(x.count, 0)) AS count,
           sum((SELECT count(*) FROM entries e WHERE e.partition_id = p.id AND e.created_at >= a.since)
               - coalesce(x.created, 0)) AS created
    FROM (SELECT ? AS user_id, ? AS agent_id, ? AS since) a CROSS JOIN partitions p LEFT JOIN (${EXPIRED}) x
    ON x.partition_id = p.id
    WHERE p.entry_count > coalesce(x.count, 0) ${seen} GROUP BY 1, 2, 3, 4`;
}

const SELECT_GROUPS = selectGroups('');
const SELECT_SEEN_GROUPS = selectGroups(SEEN);

const SELECT_LAST = 'SELECT coalesce(max(seq), 0) AS seq FROM events';
const SELECT_NEXT = 'SELECT seq, at FROM events WHERE seq >= ? ORDER BY seq LIMIT 1';

function selectGrowth(seen: string): string {
  return `
    SELECT at / 86400000 AS day, type, count(*) AS count FROM events
    WHERE seq >= ? AND at >= ? AND pool_id = '' AND type <> 'updated' ${seen} GROUP BY 1, 2`;
}

const SELECT_GROWTH = selectGrowth('');
const SELECT_SEEN_GROWTH = selectGrowth("AND audience IN ('', ?) AND (? = '' OR agent_id IN ('', ?))");

// By an index that holds all it takes: the rows themselves hold the vectors.
const SELECT_SPACES = `
  SELECT s.model, s.dimensions, v.count FROM embedding_spaces s JOIN (
    SELECT space_id, count(*) AS count FROM embeddings INDEXED BY embeddings_entry GROUP BY space_id) v
  ON v.space_id = s.id ORDER BY s.id`;

interface GroupRow extends Pick<MemoryGroup, 'layer' | 'kind' | 'status' | 'count' | 'created'> {
  readonly isInContext: number;
}

export function tallyOf(connection: SqliteConnection, query: TallyQuery): Tally {
  const { userId } = query;
  return {
    groups: groupsOf(connection, query),
    growth: growthSince(connection, query),
    sizes: userId === undefined ? sizesOfTenant(connection) : sizesOfUser(connection, userId),
    ...(userId === undefined && { spaces: spacesOf(connection), bytes: bytesOf(connection.db.name) }),
  };
}

function groupsOf(connection: SqliteConnection, { userId, agentId = '', since, now }: TallyQuery): MemoryGroup[] {
  const sql = userId === undefined ? SELECT_GROUPS : SELECT_SEEN_GROUPS;
  const rows = connection.all<GroupRow>(sql, userId ?? '', agentId, since, since, now);
  return rows.map(({ layer, kind, status, isInContext, count, created }) => ({
    layer,
    kind,
    status,
    isInContext: isInContext === 1,
    count,
    created,
  }));
}

function growthSince(connection: SqliteConnection, { userId, agentId = '', since }: TallyQuery): DayOfGrowth[] {
  const first = firstSince(connection, since);
  const rows =
    userId === undefined
      ? connection.all<EventTally>(SELECT_GROWTH, first, since)
      : connection.all<EventTally>(SELECT_SEEN_GROWTH, first, since, userId, agentId, agentId);
  return growthOf(rows);
}

/** The number of the first event since then. They are numbered in the order of time, by which it is halved: there is no index. */
function firstSince(connection: SqliteConnection, since: number): number {
  let low = 1;
  let high = (connection.first<{ seq: number }>(SELECT_LAST)?.seq ?? 0) + 1;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const next = connection.first<{ seq: number; at: number }>(SELECT_NEXT, middle);
    if (next === undefined || next.at >= since) high = middle;
    else low = next.seq + 1;
  }
  return low;
}

function sizesOfTenant(connection: SqliteConnection): Sizes {
  const { mentions: _mentions, ...sizes } = countTenant(connection);
  return sizes;
}

function sizesOfUser(connection: SqliteConnection, userId: string): Sizes {
  return countOwn(connection, partsOf(connection, userId, workingNamespace));
}

function spacesOf(connection: SqliteConnection): SpaceSize[] {
  return connection.all<SpaceSize>(SELECT_SPACES);
}

/** The file and the log of its writes. */
function bytesOf(file: string): number {
  const sizes = [file, `${file}-wal`].map((path) => statSync(path, { throwIfNoEntry: false })?.size ?? 0);
  return sizes.reduce((sum, size) => sum + size, 0);
}
