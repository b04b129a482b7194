/** Reading entries over one connection: within a transaction or outside of any. */

import { partitionKey, type Partition } from '../../domain/access.ts';
import type { Version } from '../../domain/browse.ts';
import type { Entry } from '../../domain/entry.ts';
import { scopeKey, type Layer } from '../../domain/scope.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Identity, Position, Selection } from '../../ports/entry-store.ts';
import type { SqliteConnection, Value } from './sqlite-connection.ts';
import { ENTRY_COLUMNS, entryOf, type EntryRow } from './sqlite-entry-row.ts';
import { conditionOf } from './sqlite-selection.ts';

const NOT_EXPIRED = '(e.expires_at IS NULL OR e.expires_at > ?)';
const NEWEST_FIRST = 'ORDER BY e.created_at DESC, e.id DESC';
const AFTER_POSITION = 'AND (e.created_at, e.id) < (?, ?)';

const SELECT_PARTITION_IDS = 'SELECT id FROM partitions WHERE key IN (SELECT value FROM json_each(?))';
const SELECT_BY_IDS = `SELECT ${ENTRY_COLUMNS} FROM entries e WHERE e.id IN (SELECT value FROM json_each(?)) AND ${NOT_EXPIRED}`;
const SELECT_BY_ID = `SELECT ${ENTRY_COLUMNS} FROM entries e WHERE e.id = ?`;
const SELECT_BY_EXTERNAL_ID = `
  SELECT ${ENTRY_COLUMNS} FROM entries e
  WHERE e.external_id = ? AND e.scope_key = ? AND e.owner_id = ? AND e.kind = ?`;
const SELECT_BY_CONTENT = `
  SELECT ${ENTRY_COLUMNS} FROM entries e
  WHERE e.content_hash = ? AND e.scope_key = ? AND e.owner_id = ? AND e.kind = ?
    AND e.external_id IS NULL AND e.kind <> 'episodic'`;
const SELECT_BY_NAMED_CONTENT = `
  SELECT ${ENTRY_COLUMNS} FROM entries e
  WHERE e.content_hash = ? AND e.scope_key = ? AND e.owner_id = ? AND e.kind = ? AND e.external_id IS NOT NULL
  ORDER BY e.seq LIMIT 1`;
const SELECT_HISTORY = `
  SELECT v.entry, v.replaced_at AS replacedAt FROM entry_versions v JOIN entries e ON e.seq = v.seq
  WHERE e.id = ? AND ${NOT_EXPIRED} ORDER BY v.version DESC`;
const SUM_PARTITIONS =
  'SELECT coalesce(sum(entry_count), 0) AS count FROM partitions WHERE id IN (SELECT value FROM json_each(?))';
const COUNT_EXPIRED = `
  SELECT count(*) AS count FROM entries e
  WHERE e.expires_at <= ? AND e.partition_id IN (SELECT value FROM json_each(?))`;
const SUM_BY_LAYER = 'SELECT layer, sum(entry_count) AS count FROM partitions GROUP BY layer';

export class SqliteEntryReader {
  readonly #connection: SqliteConnection;
  readonly #clock: Clock;

  constructor(connection: SqliteConnection, clock: Clock) {
    this.#connection = connection;
    this.#clock = clock;
  }

  /** The ids of those partitions that hold anything. */
  partitionIds(partitions: readonly Partition[]): number[] {
    const keys = JSON.stringify(partitions.map(partitionKey));
    return this.#connection.all<{ id: number }>(SELECT_PARTITION_IDS, keys).map(({ id }) => id);
  }

  find(ids: readonly string[]): Entry[] {
    return this.#connection.all<EntryRow>(SELECT_BY_IDS, JSON.stringify(ids), this.#clock.now()).map(entryOf);
  }

  findSame(identities: readonly Identity[]): (Entry | null)[] {
    return identities.map((identity) => {
      const row = this.#findSame(identity);
      return row === undefined ? null : entryOf(row);
    });
  }

  #findSame({ id, externalId, contentHash, partition, ownerId }: Identity): EntryRow | undefined {
    const place = [scopeKey(partition.scope), ownerId ?? '', partition.kind];
    const first = (sql: string, ...values: Value[]): EntryRow | undefined => this.#connection.first(sql, ...values);
    let row = id === undefined ? undefined : first(SELECT_BY_ID, id);
    if (externalId !== undefined) row ??= first(SELECT_BY_EXTERNAL_ID, externalId, ...place);
    if (contentHash === undefined) return row;
    row ??= first(SELECT_BY_CONTENT, contentHash, ...place);
    // An entry that goes by another external id is another entry, whatever it says.
    return externalId === undefined ? (row ?? first(SELECT_BY_NAMED_CONTENT, contentHash, ...place)) : row;
  }

  /** Each partition has its own order in the index, so each is asked for a page and the pages are merged. */
  list(selection: Selection, limit: number, position?: Position): Entry[] {
    const condition = conditionOf(selection);
    const after = position ? [position.createdAt, position.id] : [];
    const rest = `${NOT_EXPIRED}${condition.sql} ${position ? AFTER_POSITION : ''} ${NEWEST_FIRST} LIMIT ?`;
    const values = [this.#clock.now(), ...condition.values, ...after, limit];
    const page = (where: string, ...first: Value[]): EntryRow[] =>
      this.#connection.all(`SELECT ${ENTRY_COLUMNS} FROM entries e WHERE ${where} ${rest}`, ...first, ...values);
    if (selection.partitions === undefined) return page('').map(entryOf);
    const rows = this.partitionIds(selection.partitions).flatMap((id) => page('e.partition_id = ? AND', id));
    return rows.toSorted(newestFirst).slice(0, limit).map(entryOf);
  }

  count(selection: Selection): number {
    const ids = JSON.stringify(this.partitionIds(selection.partitions ?? []));
    const condition = conditionOf(selection);
    const count = (sql: string, ...values: Value[]): number =>
      this.#connection.first<{ count: number }>(sql, ...values)?.count ?? 0;
    if (condition.sql === '') return count(SUM_PARTITIONS, ids) - count(COUNT_EXPIRED, this.#clock.now(), ids);
    const where = `e.partition_id IN (SELECT value FROM json_each(?)) AND ${NOT_EXPIRED}${condition.sql}`;
    return count(`SELECT count(*) AS count FROM entries e WHERE ${where}`, ids, this.#clock.now(), ...condition.values);
  }

  history(id: string): Version[] {
    const rows = this.#connection.all<{ entry: string; replacedAt: number }>(SELECT_HISTORY, id, this.#clock.now());
    return rows.map(({ entry, replacedAt }) => ({
      memory: JSON.parse(entry) as Entry,
      replacedAt: new Date(replacedAt).toISOString(),
    }));
  }

  size(): Partial<Record<Layer, number>> {
    const rows = this.#connection.all<{ layer: Layer; count: number }>(SUM_BY_LAYER);
    return Object.fromEntries(rows.map(({ layer, count }) => [layer, count]));
  }
}

function newestFirst(a: EntryRow, b: EntryRow): number {
  return Number(b.created_at) - Number(a.created_at) || (String(a.id) < String(b.id) ? 1 : -1);
}
