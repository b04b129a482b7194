/** Reading entries over one connection: within a transaction or outside of any. */

import { partitionKey, type Partition } from '../../domain/access.ts';
import type { Version } from '../../domain/browse.ts';
import type { Entry } from '../../domain/entry.ts';
import { scopeKey, scopeOfKey, type Layer, type Scope } from '../../domain/scope.ts';
import { hasExpired } from '../../domain/time-to-live.ts';
import { withTrust } from '../../domain/trust.ts';
import type { Clock } from '../../ports/clock.ts';
import { LAST_ID } from '../sql/entry-row.ts';
import type { Changed, ChangePosition, Identity, Moment, Position, Selection } from '../../ports/entry-store.ts';
import type { SqliteConnection, Value } from './sqlite-connection.ts';
import { ENTRY_COLUMNS, entryOf, SINCE, type EntryRow } from './sqlite-entry-row.ts';
import { STAMP_COLUMNS, type SqliteHeldEntries, type Stamp } from './sqlite-held-entries.ts';
import { conditionOf, type Condition } from './sqlite-selection.ts';
import type { SqliteStandstill } from './sqlite-standstill.ts';

const NOT_EXPIRED = '(e.expires_at IS NULL OR e.expires_at > ?)';

const SELECT_PARTITIONS = 'SELECT id FROM partitions WHERE key IN (SELECT value FROM json_each(?))';
const byIds = (columns: string): string =>
  `SELECT ${columns} FROM entries e WHERE e.id IN (SELECT value FROM json_each(?)) AND ${NOT_EXPIRED}`;
const SELECT_BY_IDS = byIds(ENTRY_COLUMNS);
const STAMPS_BY_IDS = byIds(`${STAMP_COLUMNS}, e.id`);
// Most look for one, for which unpacking a list would take a third of the time.
const byOneId = (columns: string): string => `SELECT ${columns} FROM entries e WHERE e.id = ? AND ${NOT_EXPIRED}`;
const SELECT_ONE = byOneId(ENTRY_COLUMNS);
const STAMP_OF_ONE = byOneId(`${STAMP_COLUMNS}, e.id`);
const SELECT_BY_SEQ = `SELECT ${ENTRY_COLUMNS} FROM entries e WHERE e.seq = ?`;
const SELECT_BY_SEQS = `SELECT ${ENTRY_COLUMNS} FROM entries e WHERE e.seq IN (SELECT value FROM json_each(?))`;
const SELECT_BY_ID = `SELECT ${ENTRY_COLUMNS} FROM entries e WHERE e.id = ?`;
const SELECT_BY_EXTERNAL_ID = `
  SELECT ${ENTRY_COLUMNS} FROM entries e
  WHERE e.external_id = ? AND e.scope_key = ? AND e.owner_id = ? AND e.kind = ?`;
const UNNAMED_CONTENT = `
  SELECT u.seq FROM entries u
  WHERE u.content_hash = ? AND u.scope_key = ? AND u.owner_id = ? AND u.kind = ?
    AND u.external_id IS NULL AND u.kind <> 'episodic'`;
const NAMED_CONTENT = `
  SELECT n.seq FROM entries n
  WHERE n.content_hash = ? AND n.scope_key = ? AND n.owner_id = ? AND n.kind = ? AND n.external_id IS NOT NULL
  ORDER BY n.seq LIMIT 1`;
const SELECT_BY_UNNAMED_CONTENT = `SELECT ${ENTRY_COLUMNS} FROM entries e WHERE e.seq = (${UNNAMED_CONTENT})`;
const SELECT_BY_CONTENT = `
  SELECT ${ENTRY_COLUMNS} FROM entries e WHERE e.seq = coalesce((${UNNAMED_CONTENT}), (${NAMED_CONTENT}))`;
const SELECT_HISTORY = `
  SELECT v.entry, v.replaced_at AS replacedAt FROM entry_versions v JOIN entries e ON e.seq = v.seq
  WHERE e.id = ? AND ${NOT_EXPIRED} ORDER BY v.version DESC`;
// Spelled as in the index on it: what was never changed is not in it. See sql/sqlite/0007_as_of.sql.
const SELECT_CHANGED = `
  SELECT ${ENTRY_COLUMNS}, (
    SELECT v.entry FROM entry_versions v WHERE v.seq = e.seq AND v.replaced_at > ? ORDER BY v.version LIMIT 1) AS past
  FROM entries e
  WHERE e.partition_id = ? AND e.version > 1 AND (e.updated_at, e.id) > (?, ?) AND e.created_at <= ? AND ${NOT_EXPIRED}
  ORDER BY e.updated_at, e.id LIMIT ?`;
const SELECT_SIZES = 'SELECT id, entry_count AS count FROM partitions WHERE key IN (SELECT value FROM json_each(?))';
// The plus keeps SQLite from walking the whole partition: few entries expire, and they have an index of their own.
const COUNT_EXPIRED = `
  SELECT count(*) AS count FROM entries e
  WHERE e.expires_at <= ? AND +e.partition_id IN (SELECT value FROM json_each(?))`;
// The key of a partition holds that of its scope, in which the identifiers follow the layer: first the user.
const SELECT_PERSONAL_SCOPES = `
  SELECT DISTINCT json_extract(key, '$[2]') AS scope FROM partitions
  WHERE layer = ? AND json_extract(json_extract(key, '$[2]'), '$[1]') = ?`;
const SELECT_QUARANTINED_SCOPES = `${SELECT_PERSONAL_SCOPES} AND json_extract(key, '$[3]') = 'quarantined'`;
const SUM_BY_LAYER = 'SELECT layer, sum(entry_count) AS count FROM partitions GROUP BY layer';

/** What was read before, where that still stands. */
interface Remembered {
  readonly held: SqliteHeldEntries;
  readonly standstill: SqliteStandstill;
}

export class SqliteEntryReader {
  readonly #connection: SqliteConnection;
  readonly #clock: Clock;
  readonly #remembered: Remembered | undefined;

  /** What is remembered must have been read by this connection, outside of transactions that write. */
  constructor(connection: SqliteConnection, clock: Clock, remembered?: Remembered) {
    this.#connection = connection;
    this.#clock = clock;
    this.#remembered = remembered;
  }

  /** The ids of those partitions that hold anything. */
  partitionIds(partitions: readonly Partition[]): number[] {
    const keys = JSON.stringify(partitions.map(partitionKey));
    return this.#connection.all<{ id: number }>(SELECT_PARTITIONS, keys).map(({ id }) => id);
  }

  find(ids: readonly string[]): Entry[] {
    const held = this.#remembered?.held;
    if (held === undefined) return this.#byIds<EntryRow>(ids, SELECT_ONE, SELECT_BY_IDS).map(entryOf);
    held.begin();
    const standing = Array.from(new Set(ids), (id) => held.standing(id)?.[0]);
    if (standing.every((stamp) => stamp !== undefined)) {
      const now = this.#clock.now();
      return this.#entriesAt(standing).filter((entry) => !hasExpired(entry, now));
    }
    const stamps = this.#byIds<Named>(ids, STAMP_OF_ONE, STAMPS_BY_IDS);
    for (const stamp of stamps) held.stands(stamp.id, [stamp]);
    return this.#entriesAt(stamps);
  }

  #byIds<Row>(ids: readonly string[], one: string, several: string): Row[] {
    const [only] = ids;
    const now = this.#clock.now();
    return only !== undefined && ids.length === 1
      ? this.#connection.all(one, only, now)
      : this.#connection.all(several, JSON.stringify(ids), now);
  }

  findSame(identities: readonly Identity[]): (Entry | null)[] {
    const find = (): (Entry | null)[] =>
      identities.map((identity) => {
        const row = this.#findSame(identity);
        return row === undefined ? null : entryOf(row);
      });
    return identities.length > 1 ? this.#atOnce(find) : find();
  }

  /** Nobody writes in between, and the log is locked and unlocked once and not by each statement. */
  #atOnce<T>(read: () => T): T {
    if (this.#connection.db.inTransaction) return read();
    this.#connection.run('BEGIN');
    try {
      return read();
    } finally {
      if (this.#connection.db.inTransaction) this.#connection.run('COMMIT');
    }
  }

  /** In the order of the stamps. What is held is not read; of several the others are read together. */
  #entriesAt(stamps: readonly Stamp[]): Entry[] {
    const held = this.#remembered?.held;
    const found = stamps.map((stamp) => held?.find(stamp));
    const missing = stamps.filter((_, index) => found[index] === undefined).map(({ seq }) => seq);
    if (missing.length === 0) return found as Entry[];
    const rows =
      missing.length === 1
        ? this.#connection.all<EntryRow>(SELECT_BY_SEQ, Number(missing[0]))
        : this.#connection.all<EntryRow>(SELECT_BY_SEQS, JSON.stringify(missing));
    const read = new Map(rows.map((row) => [row.seq, held ? held.hold(row) : entryOf(row)]));
    return stamps.flatMap(({ seq }, index) => found[index] ?? read.get(seq) ?? []);
  }

  #findSame({ id, externalId, contentHash, partition, ownerId }: Identity): EntryRow | undefined {
    const place = [scopeKey(partition.scope), ownerId ?? '', partition.kind];
    const first = (sql: string, ...values: Value[]): EntryRow | undefined => this.#connection.first(sql, ...values);
    let row = id === undefined ? undefined : first(SELECT_BY_ID, id);
    if (externalId !== undefined) row ??= first(SELECT_BY_EXTERNAL_ID, externalId, ...place);
    if (contentHash === undefined) return row;
    const content = [contentHash, ...place];
    if (externalId === undefined) return row ?? first(SELECT_BY_CONTENT, ...content, ...content);
    // An entry that goes by another external id is another entry, whatever it says.
    return row ?? first(SELECT_BY_UNNAMED_CONTENT, ...content);
  }

  list(selection: Selection, limit: number, position?: Position): Entry[] {
    return this.#page(selection, limit, 'e.created_at', position && [position.createdAt, position.id]);
  }

  timeline(selection: Selection, limit: number, moment?: Moment): Entry[] {
    return this.#page(selection, limit, SINCE, moment && [moment.since, moment.id]);
  }

  /** While nobody commits a page stays what it was, unless something on it expires. */
  #page(selection: Selection, limit: number, time: string, after: [number, string] | undefined): Entry[] {
    const condition = conditionOf(selection);
    const held = this.#remembered?.held;
    held?.begin();
    if (held === undefined)
      return this.#atOnce(() => this.#entriesAt(this.#stamps(selection, condition, limit, time, after)));
    const keys = selection.partitions?.map(partitionKey);
    const asked = JSON.stringify([time, keys, condition, after, limit]);
    const standing = held.standing(asked);
    if (standing !== undefined) {
      const [entries, now] = [this.#entriesAt(standing), this.#clock.now()];
      if (entries.length === standing.length && !entries.some((entry) => hasExpired(entry, now))) return entries;
    }
    return this.#atOnce(() => {
      const stamps = this.#stamps(selection, condition, limit, time, after);
      held.stands(asked, stamps);
      return this.#entriesAt(stamps);
    });
  }

  /** Each partition has its own order in the index, so each is asked for a page and the pages are merged. */
  #stamps(
    selection: Selection,
    condition: Condition,
    limit: number,
    time: string,
    after: [number, string] | undefined,
  ): Stamp[] {
    // The first bound says nothing new, but an index on an expression is entered by nothing else.
    const afterwards = after ? `AND ${time} <= ? AND (${time}, e.id) < (?, ?)` : '';
    const rest = `${NOT_EXPIRED}${condition.sql} ${afterwards} ORDER BY ${time} DESC, e.id DESC LIMIT ?`;
    const values = [this.#clock.now(), ...condition.values, ...(after ? [after[0], ...after] : []), limit];
    const select = <Row>(columns: string, where: string, ...first: Value[]): Row[] =>
      this.#connection.all(`SELECT ${columns} FROM entries e WHERE ${where} ${rest}`, ...first, ...values);
    if (selection.partitions === undefined) return select<Stamp>(STAMP_COLUMNS, '');
    const [only, ...others] = this.partitionIds(selection.partitions);
    if (only === undefined) return [];
    const within = 'e.partition_id = ? AND';
    if (others.length === 0) return select<Stamp>(STAMP_COLUMNS, within, only);
    const columns = `${STAMP_COLUMNS}, e.id, ${time} AS time`;
    const places = [only, ...others].flatMap((id) => select<Place>(columns, within, id));
    // Only those are read in full that stand on the page: that takes ten times as long as to see where they stand.
    return places.toSorted(latestFirst).slice(0, limit);
  }

  personalScopes(layer: Layer, userId: string, shelf?: 'quarantined'): Scope[] {
    const sql = shelf === undefined ? SELECT_PERSONAL_SCOPES : SELECT_QUARANTINED_SCOPES;
    const rows = this.#connection.all<{ scope: string }>(sql, layer, userId);
    return rows.map(({ scope }) => scopeOfKey(scope));
  }

  count(selection: Selection): number {
    const condition = conditionOf(selection);
    const count = (sql: string, ...values: Value[]): number =>
      this.#connection.first<{ count: number }>(sql, ...values)?.count ?? 0;
    const counted = (where: string, ...first: Value[]): number =>
      count(
        `SELECT count(*) AS count FROM entries e WHERE ${where} ${NOT_EXPIRED}${condition.sql}`,
        ...first,
        this.#clock.now(),
        ...condition.values,
      );
    if (selection.partitions === undefined) return counted('');
    const { ids, entries } = this.#sizeOf(selection.partitions);
    if (condition.sql === '') return entries - count(COUNT_EXPIRED, this.#clock.now(), ids);
    return counted('e.partition_id IN (SELECT value FROM json_each(?)) AND', ids);
  }

  /** Which of the partitions there are, as JSON, and how much is in them, also of what has expired. */
  #sizeOf(partitions: readonly Partition[]): Size {
    const keys = JSON.stringify(partitions.map(partitionKey));
    const read = (): Size => {
      const rows = this.#connection.all<{ id: number; count: number }>(SELECT_SIZES, keys);
      return {
        ids: JSON.stringify(rows.map(({ id }) => id)),
        entries: rows.reduce((sum, { count }) => sum + count, 0),
      };
    };
    return this.#remembered === undefined ? read() : this.#remembered.standstill.once(`size ${keys}`, read);
  }

  history(id: string): Version[] {
    const rows = this.#connection.all<{ entry: string; replacedAt: number }>(SELECT_HISTORY, id, this.#clock.now());
    return rows.map(({ entry, replacedAt }) => ({
      memory: withTrust(JSON.parse(entry) as Entry),
      replacedAt: new Date(replacedAt).toISOString(),
    }));
  }

  /** Each partition has its own order in the index, as in a page. */
  changed(partitions: readonly Partition[], at: number, limit: number, position?: ChangePosition): Changed[] {
    const { updatedAt, id: after } = position ?? { updatedAt: at, id: LAST_ID };
    const rows = this.partitionIds(partitions).flatMap((id) =>
      this.#connection.all<ChangedRow>(SELECT_CHANGED, at, id, updatedAt, after, at, this.#clock.now(), limit),
    );
    return rows
      .toSorted(longestUnchangedFirst)
      .slice(0, limit)
      .map((row) => ({
        now: entryOf(row),
        former: row.past === null ? null : withTrust(JSON.parse(row.past) as Entry),
      }));
  }

  size(): Partial<Record<Layer, number>> {
    const rows = this.#connection.all<{ layer: Layer; count: number }>(SUM_BY_LAYER);
    return Object.fromEntries(rows.map(({ layer, count }) => [layer, count]));
  }
}

interface Size {
  readonly ids: string;
  readonly entries: number;
}

interface ChangedRow extends EntryRow {
  readonly past: string | null;
}

function longestUnchangedFirst(a: ChangedRow, b: ChangedRow): number {
  return Number(a.updated_at) - Number(b.updated_at) || (String(a.id) < String(b.id) ? -1 : 1);
}

interface Named extends Stamp {
  readonly id: string;
}

/** Where an entry stands in a list. */
interface Place extends Named {
  readonly time: number;
}

function latestFirst(a: Place, b: Place): number {
  return b.time - a.time || (a.id < b.id ? 1 : -1);
}
