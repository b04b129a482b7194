/** The event log in SQLite: in the tenant's file, numbered in the order of the commits. */

import type { Event, EventType } from '../../domain/event.ts';
import type { PoolChange } from '../../domain/pool.ts';
import type { Principal } from '../../domain/principal.ts';
import type { StreamPage } from '../../domain/stream.ts';
import type { EventLog } from '../../ports/event-log.ts';
import { noPosition, positionTooOld } from '../sql/event-position.ts';
import { Watchers } from '../sql/watchers.ts';
import type { SqliteConnection } from './sqlite-connection.ts';
import type { SqliteTenants } from './sqlite-tenants.ts';

const SELECT_HEAD = `
  SELECT epoch, max(pruned, coalesce((SELECT max(seq) FROM events), 0)) AS seq FROM event_epoch`;
const SELECT_PRUNED = 'SELECT epoch, pruned AS seq FROM event_epoch';
/** Numbers are not given twice: those of events that were erased since count too. */
const SELECT_LAST_GIVEN = `
  SELECT epoch, coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'events'), 0) AS seq FROM event_epoch`;
const SELECT_EVENTS = `
  SELECT seq, type, entry_id AS memoryId, version, at FROM events
  WHERE seq > ? AND seq <= ? AND pool_id = '' AND audience IN ('', ?) AND (? = '' OR agent_id IN ('', ?))
  ORDER BY seq LIMIT ?`;

const SELECT_CHANGES = `
  SELECT seq, type, entry_id AS memoryId, version, at FROM events
  WHERE seq > ? AND seq <= ? AND pool_id = '' ORDER BY seq LIMIT ?`;

const SELECT_POOL_EVENTS = `
  SELECT seq, type, pool_id AS poolId, key, version, at FROM events
  WHERE pool_id = ? AND pool_id <> '' AND seq > ? AND seq <= ? ORDER BY seq LIMIT ?`;

/** How soon what another process has written is noticed. */
const POLL_MS = 1000;
/** Every so many polls all are woken: a file system need not tell at once when a file was written. */
const POLLS_UNTIL_ALL = 10;

interface Position {
  /** Which file it was: see the migration. Where there was none, the empty text. */
  readonly epoch: string;
  readonly seq: number;
}

interface NumberedRow {
  readonly seq: number;
  readonly type: EventType;
  readonly version: number;
  readonly at: number;
}

interface EventRow extends NumberedRow {
  readonly memoryId: string;
}

interface PoolEventRow extends NumberedRow {
  readonly poolId: string;
  readonly key: string;
}

const NOWHERE: Position = { epoch: '', seq: 0 };

export class SqliteEventLog implements EventLog {
  readonly #tenants: SqliteTenants;
  readonly #watchers = new Watchers();
  #poll: NodeJS.Timeout | undefined;

  constructor(tenants: SqliteTenants) {
    this.#tenants = tenants;
  }

  async read(principal: Principal, after: string | undefined, limit: number): Promise<StreamPage<Event>> {
    const position = positionOf(after);
    return this.#tenants.read(
      principal,
      ({ connection }) => readGiven(connection, position, limit, eventsOf(connection, principal)),
      () => ({ items: [], position: textOf(NOWHERE) }),
    );
  }

  async readPool(
    principal: Principal,
    poolId: string,
    after: string | undefined,
    limit: number,
  ): Promise<StreamPage<PoolChange>> {
    const position = positionOf(after);
    return this.#tenants.read(
      principal,
      ({ connection }) => readGiven(connection, position, limit, poolEventsOf(connection, poolId)),
      () => ({ items: [], position: textOf(NOWHERE) }),
    );
  }

  head(principal: Principal): Promise<string> {
    return this.#tenants.read(
      principal,
      ({ connection }) => textOf(headOf(connection)),
      () => textOf(NOWHERE),
    );
  }

  watch(tenantId: string, wake: () => void): () => void {
    const stop = this.#watchers.add(tenantId, wake);
    if (this.#poll === undefined) this.#startPolling();
    return () => {
      stop();
      if (this.#watchers.tenantIds.length === 0) this.#stopPolling();
    };
  }

  watchAll(wake: (tenantId: string) => void): () => void {
    return this.#watchers.addToAll(wake);
  }

  /** What happened to the memories of all users. Undefined where the log does not reach back to the position. */
  changes(tenantId: string, after: string | undefined, limit: number): Promise<StreamPage<Event> | undefined> {
    const position = positionOf(after);
    return this.#tenants.read<StreamPage<Event> | undefined>(
      { tenantId, userId: '' },
      ({ connection }) => readAfter(connection, position, limit, changesOf(connection)),
      () => ({ items: [], position: textOf(NOWHERE) }),
    );
  }

  /** Call when something was committed. */
  note(tenantId: string): void {
    this.#watchers.wake(tenantId);
  }

  /** Wakes those who watch, so that they notice. */
  close(): void {
    this.#stopPolling();
    this.#watchers.wakeAll();
  }

  #startPolling(): void {
    let polls = 0;
    let before = Date.now();
    this.#poll = setInterval(() => {
      polls += 1;
      const now = Date.now();
      // Files tell the time of the machine, and coarsely: what is near enough counts twice rather than not at all.
      for (const tenantId of this.#watchers.tenantIds) {
        const isDue = polls % POLLS_UNTIL_ALL === 0 || this.#tenants.writtenAt(tenantId) > before - POLL_MS;
        if (isDue) this.#watchers.wake(tenantId);
      }
      before = now;
    }, POLL_MS).unref();
  }

  #stopPolling(): void {
    clearInterval(this.#poll);
    this.#poll = undefined;
  }
}

function headOf(connection: SqliteConnection): Position {
  return connection.first<Position>(SELECT_HEAD) ?? NOWHERE;
}

/** The rows after one number and up to another. */
type ReadRows<Row extends NumberedRow> = (start: number, end: number, limit: number) => readonly Row[];

function eventsOf(connection: SqliteConnection, { userId, agentId = '' }: Principal): ReadRows<EventRow> {
  return (start, end, limit) => connection.all(SELECT_EVENTS, start, end, userId, agentId, agentId, limit);
}

function changesOf(connection: SqliteConnection): ReadRows<EventRow> {
  return (start, end, limit) => connection.all(SELECT_CHANGES, start, end, limit);
}

function poolEventsOf(connection: SqliteConnection, poolId: string): ReadRows<PoolEventRow> {
  return (start, end, limit) => connection.all(SELECT_POOL_EVENTS, poolId, start, end, limit);
}

/**
 * After a position that came from outside. Throws `VALIDATION_FAILED` for one that this log has not come to, because it was
 * another's or from before a restore, and for one to which it does not reach back.
 */
function readGiven<Row extends NumberedRow>(
  connection: SqliteConnection,
  after: Position | undefined,
  limit: number,
  rowsOf: ReadRows<Row>,
): StreamPage<Numbered<Row>> {
  const last = connection.first<Position>(SELECT_LAST_GIVEN) ?? NOWHERE;
  if (after && after.epoch === last.epoch && after.seq > last.seq) throw noPosition();
  const page = readAfter(connection, after, limit, rowsOf);
  if (page === undefined) throw positionTooOld();
  return page;
}

/** SQLite has one writer at a time, so that numbers are committed in their order. Undefined where some of it was pruned. */
function readAfter<Row extends NumberedRow>(
  connection: SqliteConnection,
  after: Position | undefined,
  limit: number,
  rowsOf: ReadRows<Row>,
): StreamPage<Numbered<Row>> | undefined {
  const head = headOf(connection);
  // What was read of a file that is no more says nothing of this one.
  const start = after?.epoch === head.epoch ? after.seq : 0;
  const rows = rowsOf(start, head.seq, limit);
  // Asked afterwards: another process may have pruned meanwhile.
  const pruned = connection.first<Position>(SELECT_PRUNED) ?? NOWHERE;
  if (after && start < pruned.seq) return undefined;
  const end = rows.length < limit ? head.seq : (rows.at(-1)?.seq ?? start);
  return {
    items: rows.map((row) => numbered(row, head.epoch)),
    position: textOf({ epoch: head.epoch, seq: Math.max(start, end) }),
  };
}

type Numbered<Row> = Omit<Row, 'seq' | 'at'> & { readonly id: string; readonly at: string };

function numbered<Row extends NumberedRow>({ seq, at, ...rest }: Row, epoch: string): Numbered<Row> {
  return { id: textOf({ epoch, seq }), ...rest, at: new Date(at).toISOString() };
}

function textOf({ epoch, seq }: Position): string {
  return `${epoch}.${seq}`;
}

/** Undefined for the beginning. */
function positionOf(text: string | undefined): Position | undefined {
  if (text === undefined) return undefined;
  const [, epoch = '', seq] = /^([0-9a-f]*)\.(\d{1,15})$/.exec(text) ?? [];
  if (seq === undefined) throw noPosition();
  return { epoch, seq: Number(seq) };
}
