/** What names a user although it belongs to others, and survives: to be counted, and to be struck. */

import type { Parameter } from './postgres-driver.ts';
import type { Part, UserParts } from './postgres-erasure-parts.ts';

interface Mention {
  readonly part: Part;
  /** What stands there from then on. */
  readonly setting: string;
  /** Whether that is the pseudonym, as $3. */
  readonly isPseudonymous: boolean;
}

function mention(table: string, where: string, setting: string): Mention {
  const part: Part = { name: 'mentions', table, where, by: ['userId'] };
  return { part, setting, isPseudonymous: setting.includes('$3') };
}

const ENTRY_OF_ANOTHER = `(
  SELECT true FROM lamina.entries o
  WHERE o.tenant_id = $1 AND o.id = t.entry_id AND o.owner_id IS DISTINCT FROM $2 LIMIT 1)`;
const IS_MEMBER = "t.owner_id <> $2 AND t.members <> '[]' AND t.members ? $2";
const WITHOUT_MEMBER = 'access = lamina.without_member(t.access, $2), members = t.members - $2::text';

// What a run of maintenance did to an entry of the user's.
const IS_OWN = `(
  SELECT true FROM lamina.entries o WHERE o.tenant_id = $1 AND o.id = (c.value ->> 'entryId')::uuid AND o.owner_id = $2)`;
const OF_RUNS = mention(
  'maintenance_runs',
  `EXISTS (SELECT 1 FROM json_array_elements(t.changes) AS c (value) WHERE ${IS_OWN})`,
  `changes = (
     SELECT coalesce(json_agg(c.value ORDER BY c.place), '[]')
     FROM json_array_elements(t.changes) WITH ORDINALITY AS c (value, place) WHERE ${IS_OWN} IS NULL)`,
);

const OF_EVENTS = mention('events', `t.actor_id = $2 AND ${ENTRY_OF_ANOTHER}`, "actor_id = ''");

export const EVENT_MENTIONS: Part = OF_EVENTS.part;

/** But for the entries: see {@link pageOfMentions}. */
export const MENTIONS: readonly Mention[] = [
  OF_EVENTS,
  mention('pools', IS_MEMBER, WITHOUT_MEMBER),
  mention('contexts', IS_MEMBER, WITHOUT_MEMBER),
  mention('context_snapshots', 't.owner_id <> $2 AND lamina.is_by(t.created_by, $2)', 'created_by = $3'),
  mention('context_accesses', 't.owner_id <> $2 AND t.actor_id = $2', 'actor_id = $3, agent_id = NULL'),
  OF_RUNS,
  mention('audit_log', 't.actor = $2', 'actor = $3'),
];

export function strikeOf({ part, setting }: Mention): string {
  return `UPDATE lamina.${part.table} t SET ${setting} WHERE t.tenant_id = $1 AND ${part.where}`;
}

/** To be struck while the user's entries are there: afterwards nothing tells which they were. */
export const STRIKE_RUNS: string = strikeOf(OF_RUNS);

// Entries of others that name the user, as whom they are about or as who edited them, and their past. There is no index to
// find them by: a page at a time.
const MENTIONING = `
  page AS (
    SELECT e.seq, e.owner_id, coalesce(e.identifiers ->> 'userId' = $2, false) AS is_named,
           coalesce(lamina.is_by(e.metadata ->> 'context.editedBy', $2), false) AS is_edited
    FROM lamina.entries e WHERE e.tenant_id = $1 AND e.seq > $3 ORDER BY e.seq LIMIT $4),
  entry AS (
    SELECT p.seq, p.is_named, p.is_edited FROM page p
    WHERE p.owner_id IS DISTINCT FROM $2 AND (p.is_named OR p.is_edited)),
  past AS (
    SELECT * FROM (
      SELECT v.seq, v.version,
             coalesce($2 IN (v.entry -> 'identifiers' ->> 'userId', v.entry ->> 'ownerId'), false) AS is_named,
             coalesce(lamina.is_by(v.entry -> 'metadata' ->> 'context.editedBy', $2), false) AS is_edited
      FROM lamina.entry_versions v JOIN page p ON p.seq = v.seq
      WHERE v.tenant_id = $1 AND p.owner_id IS DISTINCT FROM $2) v
    WHERE v.is_named OR v.is_edited)`;

/** Each is counted for every way in which it names the user. */
const FOUND = `
  SELECT (SELECT max(seq) FROM page) AS last, (
    SELECT coalesce(sum(m.is_named::int + m.is_edited::int), 0)::bigint
    FROM (SELECT is_named, is_edited FROM entry UNION ALL SELECT is_named, is_edited FROM past) m) AS count`;

const COUNT_MENTIONS = `WITH ${MENTIONING} ${FOUND}`;

const UNNAMED = `
  CASE WHEN v.entry -> 'identifiers' ->> 'userId' = $2
       THEN v.entry::jsonb #- '{identifiers,userId}' ELSE v.entry::jsonb END`;

const STRIKE_MENTIONS = `
  WITH ${MENTIONING},
  struck_entry AS (
    UPDATE lamina.entries e SET
      identifiers = CASE WHEN m.is_named THEN e.identifiers - 'userId' ELSE e.identifiers END,
      metadata = CASE WHEN m.is_edited
        THEN jsonb_set(e.metadata, '{context.editedBy}', to_jsonb($5::text)) ELSE e.metadata END
    FROM entry m WHERE e.tenant_id = $1 AND e.seq = m.seq),
  struck_past AS (
    UPDATE lamina.entry_versions v SET entry = jsonb_set(
      CASE WHEN m.is_edited
           THEN jsonb_set(${UNNAMED}, '{metadata,context.editedBy}', to_jsonb($5::text)) ELSE ${UNNAMED} END,
      '{ownerId}', coalesce(to_jsonb(nullif(v.entry ->> 'ownerId', $2)), 'null'))::json
    FROM past m WHERE v.tenant_id = $1 AND v.seq = m.seq AND v.version = m.version)
  ${FOUND}`;

export interface MentionPage {
  /** Where the page ended; null where there was none. */
  readonly last: number | null;
  readonly count: number;
}

/** The mentions in the next so many entries and in their past: counted, or struck out where there is a pseudonym. */
export async function pageOfMentions(
  ask: (sql: string, values: readonly Parameter[]) => Promise<MentionPage[]>,
  { tenantId, userId }: Pick<UserParts, 'tenantId' | 'userId'>,
  after: number,
  limit: number,
  pseudonym?: string,
): Promise<MentionPage> {
  const values = [tenantId, userId, after, limit];
  const [page] =
    pseudonym === undefined ? await ask(COUNT_MENTIONS, values) : await ask(STRIKE_MENTIONS, [...values, pseudonym]);
  return page ?? { last: null, count: 0 };
}
