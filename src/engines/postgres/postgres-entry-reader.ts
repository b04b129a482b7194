/** Reading entries: each question is one statement, within a transaction or as one of its own. */

import type { Partition } from '../../domain/access.ts';
import type { Version } from '../../domain/browse.ts';
import type { Entry } from '../../domain/entry.ts';
import { scopeKey, scopeOfKey, type Layer, type Scope } from '../../domain/scope.ts';
import { withTrust } from '../../domain/trust.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Changed, ChangePosition, Identity, Selection } from '../../ports/entry-store.ts';
import { LAST_ID } from '../sql/entry-row.ts';
import { ENTRY_COLUMNS, entryOf, WITH_ACCESSES, type EntryRow } from './postgres-entry-row.ts';
import { IN_TENANT, keysOf, partitionsBy, selectPage, type Page } from './postgres-page.ts';
import { conditionsOf } from './postgres-selection.ts';
import { Parameters, type Ask, type Statement } from './postgres-statement.ts';

const SELECT_BY_IDS = `
  SELECT ${ENTRY_COLUMNS} FROM lamina.entries e ${WITH_ACCESSES} WHERE e.id = ANY ($1::uuid[])`;
const SELECT_LIVING_BY_IDS = `${SELECT_BY_IDS} AND (e.expires_at IS NULL OR e.expires_at > $2::bigint)`;

// By id, else by external id, else by content. An entry that goes by another external id is another entry, whatever it
// says, but where no external id is asked for, the oldest one that says the same will do.
const IN_PLACE = `e.scope_key = i.scope_key AND coalesce(e.owner_id, '') = i.owner_id AND e.kind = i.kind`;
const SELECT_SAME = `
  SELECT i.place, ${ENTRY_COLUMNS}
  FROM json_to_recordset($1::json) AS i (
    place int, id uuid, external_id text, content_hash text, scope_key text, owner_id text, kind text)
  CROSS JOIN LATERAL (
    SELECT same.* FROM (
      (SELECT 1 AS choice, e.* FROM lamina.entries e WHERE e.id = i.id)
      UNION ALL
      (SELECT 2, e.* FROM lamina.entries e WHERE e.external_id = i.external_id AND ${IN_PLACE})
      UNION ALL
      (SELECT 3, e.* FROM lamina.entries e
       WHERE e.content_hash = i.content_hash AND ${IN_PLACE} AND e.external_id IS NULL AND e.kind <> 'episodic')
      UNION ALL
      (SELECT 4, e.* FROM lamina.entries e
       WHERE i.external_id IS NULL AND e.content_hash = i.content_hash AND ${IN_PLACE} AND e.external_id IS NOT NULL
       ORDER BY e.seq LIMIT 1)
    ) same ORDER BY same.choice LIMIT 1) e
  ${WITH_ACCESSES}`;

const SELECT_HISTORY = `
  SELECT v.entry AS memory, v.replaced_at AS "replacedAt"
  FROM lamina.entries e JOIN lamina.entry_versions v ON v.seq = e.seq
  WHERE e.id = $1::uuid AND (e.expires_at IS NULL OR e.expires_at > $2::bigint) ORDER BY v.version DESC`;

// Spelled as in the index on it: what was never changed is not in it. See sql/postgres/0006_as_of.sql.
const SELECT_CHANGED = `
  SELECT ${ENTRY_COLUMNS}, v.entry AS past
  FROM (
    SELECT e.* FROM ${partitionsBy('$1::text[]')} CROSS JOIN LATERAL (
      SELECT e.* FROM lamina.entries e
      WHERE e.partition_id = p.id AND e.version > 1 AND (e.updated_at, e.id) > ($3::bigint, $4::uuid)
        AND e.created_at <= $2::bigint AND (e.expires_at IS NULL OR e.expires_at > $5::bigint)
      ORDER BY e.updated_at, e.id LIMIT $6::bigint) e
    ORDER BY e.updated_at, e.id LIMIT $6::bigint) e
  ${WITH_ACCESSES}
  LEFT JOIN LATERAL (
    SELECT v.entry FROM lamina.entry_versions v
    WHERE v.seq = e.seq AND v.replaced_at > $2::bigint ORDER BY v.version LIMIT 1) v ON true
  ORDER BY e.updated_at, e.id`;

// Few entries expire, and they have an index of their own; the sum keeps the planner from going through partitions.
const COUNT_PARTITIONS = `
  WITH p AS MATERIALIZED (SELECT p.id, p.entry_count FROM ${partitionsBy('$1::text[]')})
  SELECT (coalesce((SELECT sum(p.entry_count) FROM p), 0) - (
    SELECT count(*) FROM lamina.entries e
    WHERE e.expires_at <= $2::bigint AND e.partition_id + 0 IN (SELECT p.id FROM p)))::bigint AS count`;

// The identifiers follow the layer in the key of a scope: first the user. What is private has its own index entry.
const SELECT_PERSONAL_SCOPES = `
  SELECT DISTINCT p.scope_key AS "scopeKey" FROM (
    SELECT p.scope_key, p.key FROM lamina.partitions p WHERE ${IN_TENANT} AND p.audience = $2::text AND p.layer = $1::text
    UNION ALL
    SELECT p.scope_key, p.key FROM lamina.partitions p WHERE ${IN_TENANT} AND p.audience IS NULL AND p.layer = $1::text
  ) p WHERE p.scope_key::json ->> 1 = $2::text`;

const SELECT_QUARANTINED_SCOPES = `${SELECT_PERSONAL_SCOPES} AND p.key::json ->> 3 = 'quarantined'`;

const SUM_BY_LAYER = `
  SELECT p.layer, sum(p.entry_count)::bigint AS count FROM lamina.partitions p GROUP BY p.layer`;

export class PostgresEntryReader {
  readonly #ask: Ask;
  readonly #clock: Clock;

  constructor(ask: Ask, clock: Clock) {
    this.#ask = ask;
    this.#clock = clock;
  }

  find(ids: readonly string[]): Promise<EntryRow[]> {
    return this.#ask(SELECT_LIVING_BY_IDS, [ids, this.#clock.now()]);
  }

  /** Also what has expired. */
  findStored(ids: readonly string[]): Promise<EntryRow[]> {
    return this.#ask(SELECT_BY_IDS, [ids]);
  }

  async findSame(identities: readonly Identity[]): Promise<(EntryRow | null)[]> {
    if (!identities.some(isOfSomething)) return identities.map(() => null);
    const asked = identities.map(({ id, externalId, contentHash, partition, ownerId }, place) => ({
      place,
      id,
      external_id: externalId,
      content_hash: contentHash,
      scope_key: scopeKey(partition.scope),
      owner_id: ownerId ?? '',
      kind: partition.kind,
    }));
    const rows = await this.#ask<EntryRow & { place: number }>(SELECT_SAME, [JSON.stringify(asked)]);
    const found = new Map(rows.map(({ place, ...row }) => [place, row]));
    return identities.map((_, place) => found.get(place) ?? null);
  }

  page(page: Page): Promise<EntryRow[]> {
    const { sql, values } = selectPage(page, this.#clock.now());
    return this.#ask(sql, values);
  }

  async count(selection: Selection): Promise<number> {
    const { sql, values } = countOf(selection, this.#clock.now());
    const [row] = await this.#ask<{ count: number }>(sql, values);
    return row?.count ?? 0;
  }

  async personalScopes(layer: Layer, userId: string, shelf?: 'quarantined'): Promise<Scope[]> {
    const sql = shelf === undefined ? SELECT_PERSONAL_SCOPES : SELECT_QUARANTINED_SCOPES;
    const rows = await this.#ask<{ scopeKey: string }>(sql, [layer, userId]);
    return rows.map((row) => scopeOfKey(row.scopeKey));
  }

  async history(id: string): Promise<Version[]> {
    const rows = await this.#ask<{ memory: Entry; replacedAt: number }>(SELECT_HISTORY, [id, this.#clock.now()]);
    return rows.map(({ memory, replacedAt }) => ({
      memory: withTrust(memory),
      replacedAt: new Date(replacedAt).toISOString(),
    }));
  }

  async changed(
    partitions: readonly Partition[],
    at: number,
    limit: number,
    position?: ChangePosition,
  ): Promise<Changed[]> {
    const { updatedAt, id } = position ?? { updatedAt: at, id: LAST_ID };
    const values = [keysOf(partitions), at, updatedAt, id, this.#clock.now(), limit];
    const rows = await this.#ask<EntryRow & { past: Entry | null }>(SELECT_CHANGED, values);
    return rows.map(({ past, ...row }) => ({ now: entryOf(row), former: past && withTrust(past) }));
  }

  async size(): Promise<Partial<Record<Layer, number>>> {
    const rows = await this.#ask<{ layer: Layer; count: number }>(SUM_BY_LAYER, []);
    return Object.fromEntries(rows.map(({ layer, count }) => [layer, count]));
  }
}

/** Of a turn of a conversation, which goes by no name, there is no other. */
function isOfSomething({ id, externalId, contentHash }: Identity): boolean {
  return (id ?? externalId ?? contentHash) !== undefined;
}

function countOf(selection: Selection, now: number): Statement {
  const parameters = new Parameters();
  const conditions = conditionsOf(selection, parameters);
  const keys = selection.partitions && keysOf(selection.partitions);
  if (keys !== undefined && conditions === '') return { sql: COUNT_PARTITIONS, values: [keys, now] };
  const living = `(e.expires_at IS NULL OR e.expires_at > ${parameters.bind(now, 'bigint')})`;
  const counted = `SELECT count(*) AS count FROM lamina.entries e WHERE ${living}${conditions}`;
  const sql =
    keys === undefined
      ? counted
      : `SELECT coalesce(sum(c.count), 0)::bigint AS count FROM ${partitionsBy(parameters.bind(keys, 'text[]'))}
         CROSS JOIN LATERAL (${counted} AND e.partition_id = p.id OFFSET 0) c`;
  return { sql, values: parameters.values };
}
