/** The event log in PostgreSQL: read by snapshots, so that a transaction that commits late cannot be missed. */

import type { Event, EventType } from '../../domain/event.ts';
import type { PoolChange } from '../../domain/pool.ts';
import type { Principal } from '../../domain/principal.ts';
import type { StreamPage } from '../../domain/stream.ts';
import type { EventLog } from '../../ports/event-log.ts';
import { positionTooOld } from '../sql/event-position.ts';
import { Watchers } from '../sql/watchers.ts';
import { contextOf, type Context, type PostgresDatabase } from './postgres-database.ts';
import type { PostgresDriver, Subscription } from './postgres-driver.ts';
import { CHANNEL, PostgresEventHints } from './postgres-event-hints.ts';
import {
  afterEvent,
  assertReached,
  BEGINNING,
  positionOf,
  positionOfSnapshot,
  textOf,
  type EventPosition,
} from './postgres-position.ts';

/** Of the transactions whose events were pruned, so many are known: the last ones. */
export const MOST_NOTED = 100;

/** Whether events may be gone that come after the position: see the migration. Of what is older than all that can be noted it is not known. */
const IS_PRUNED = `
  SELECT $2::bigint <= t.pruned_transaction
    OR $4::bigint >= 0 AND ($4::bigint, $5::bigint) < (t.pruned_transaction, t.pruned_seq)
    OR EXISTS (SELECT FROM unnest($3::bigint[]) AS u (x) WHERE u.x = ANY (t.pruned_lately)
      OR cardinality(t.pruned_lately) >= ${MOST_NOTED} AND u.x < ALL (t.pruned_lately))
  FROM lamina.tenants t
  WHERE t.id = $1::uuid AND t.pruned_transaction < pg_snapshot_xmax(pg_current_snapshot())::text::bigint`;

/**
 * The rest of the transaction in which the last page ended, so that there is never more than one of these; then what has
 * been committed since, each by its own range of the index. In one statement, so that the snapshot is the one that it
 * reads by. Who sees what is for the policies to say. $1 is the tenant, $6 how many.
 */
function selectEvents(columns: string, condition: string): string {
  const some = (part: number, place: string): string => `
    (SELECT ${part} AS part, e.* FROM lamina.events e WHERE e.tenant_id = $1::uuid AND ${place} AND ${condition}
     ORDER BY e.transaction, e.seq LIMIT $6::bigint)`;
  return `
    SELECT s.snapshot, s."isPruned", e.transaction, e.seq, e.type, e.version, e.at, ${columns}
    FROM (SELECT pg_current_snapshot()::text AS snapshot, (${IS_PRUNED}) AS "isPruned") s LEFT JOIN LATERAL (
      SELECT * FROM (
        ${some(1, 'e.transaction = $4::bigint AND e.seq > $5::bigint')} UNION ALL
        ${some(2, 'e.transaction = ANY ($3::bigint[])')} UNION ALL
        ${some(2, 'e.transaction >= $2::bigint')}) e
      ORDER BY e.part, e.transaction, e.seq LIMIT $6::bigint) e ON true
    ORDER BY e.part, e.transaction, e.seq`;
}

/** Of agents the policies know nothing. $7 is the one that asks. */
const SELECT_EVENTS = selectEvents(
  'e.entry_id AS "memoryId"',
  'e.pool_id IS NULL AND ($7::text IS NULL OR e.agent_id IS NULL OR e.agent_id = $7::text)',
);

/** $7 is the pool. */
const SELECT_POOL_EVENTS = selectEvents('e.pool_id AS "poolId", e.key', 'e.pool_id = $7::text');

const SELECT_SNAPSHOT = 'SELECT pg_current_snapshot()::text AS snapshot';

/** How soon an event is found of which nobody told: whoever should have may have died, or was not heard. */
const POLL_MS = 2000;

interface NumberedRow {
  readonly snapshot: string;
  /** Null where nothing was. */
  readonly isPruned: boolean | null;
  /** These are null, all of them, where there is no event. */
  readonly transaction: number | null;
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

export class PostgresEventLog implements EventLog {
  readonly #database: PostgresDatabase;
  readonly #driver: PostgresDriver;
  readonly #hints: PostgresEventHints;
  readonly #watchers = new Watchers();
  #listening: Promise<Subscription> | undefined;
  #poll: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(database: PostgresDatabase, driver: PostgresDriver) {
    this.#database = database;
    this.#driver = driver;
    this.#hints = new PostgresEventHints(database);
  }

  read(principal: Principal, after: string | undefined, limit: number): Promise<StreamPage<Event>> {
    return this.#readGiven<EventRow>(SELECT_EVENTS, principal, after, limit, principal.agentId ?? null);
  }

  readPool(
    principal: Principal,
    poolId: string,
    after: string | undefined,
    limit: number,
  ): Promise<StreamPage<PoolChange>> {
    return this.#readGiven<PoolEventRow>(SELECT_POOL_EVENTS, principal, after, limit, poolId);
  }

  /** What happened to the memories of all users, which is administration. Undefined where the log does not reach back so far. */
  async changes(tenantId: string, after: string | undefined, limit: number): Promise<StreamPage<Event> | undefined> {
    const start = startOf(after);
    const context: Context = { tenantId, purpose: 'administration' };
    const rows = await this.#rows<EventRow>(SELECT_EVENTS, context, start, limit, null);
    if (after !== undefined && rows[0]?.isPruned) return undefined;
    return pageOf(start, rows, limit);
  }

  /** After a position that came from outside. */
  async #readGiven<R extends NumberedRow>(
    sql: string,
    principal: Principal,
    after: string | undefined,
    limit: number,
    of: string | null,
  ): Promise<StreamPage<Told<R>>> {
    const start = startOf(after);
    const rows = await this.#rows<R>(sql, contextOf(principal), start, limit, of);
    assertReached(start, rows[0]?.snapshot ?? '');
    if (after !== undefined && rows[0]?.isPruned) throw positionTooOld();
    return pageOf(start, rows, limit);
  }

  #rows<R extends NumberedRow>(
    sql: string,
    context: Context,
    { next, underWay, within }: EventPosition,
    limit: number,
    of: string | null,
  ): Promise<readonly R[]> {
    const place = [next, underWay, within?.transaction ?? -1, within?.seq ?? 0];
    return this.#database.read<R>(context, sql, [context.tenantId ?? '', ...place, limit, of]);
  }

  async head(principal: Principal): Promise<string> {
    const [row] = await this.#database.read<{ snapshot: string }>(contextOf(principal), SELECT_SNAPSHOT);
    return textOf(positionOfSnapshot(row?.snapshot ?? ''));
  }

  watch(tenantId: string, wake: () => void): () => void {
    const stop = this.#watchers.add(tenantId, wake);
    this.#startListening();
    return () => {
      stop();
      if (this.#watchers.tenantIds.length > 0) return;
      clearInterval(this.#poll);
      this.#poll = undefined;
    };
  }

  watchAll(wake: (tenantId: string) => void): () => void {
    return this.#watchers.addToAll(wake);
  }

  /** Call when something was committed. */
  note(tenantId: string): void {
    this.#watchers.wake(tenantId);
    this.#hints.note(tenantId);
  }

  /** What is amiss, where anybody watches. */
  async trouble(): Promise<string | undefined> {
    const subscription = await this.#listening?.catch(() => undefined);
    const isDeaf = this.#poll !== undefined && !subscription?.isLive;
    return isDeaf ? 'The connection that listens is lost: events of other servers come late.' : undefined;
  }

  /** Call before the database is closed: tells what is still to be told. */
  async flush(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#poll);
    await this.#hints.stop();
    await this.#listening?.then((subscription) => subscription.close()).catch(() => {});
  }

  /** Call after it: wakes those who watch, so that they notice. */
  close(): void {
    this.#watchers.wakeAll();
  }

  /** From the first who watches on; looks now and then while anybody does. */
  #startListening(): void {
    if (this.#isClosed) return;
    this.#poll ??= setInterval(() => {
      this.#startListening();
      this.#watchers.wakeAll();
    }, POLL_MS).unref();
    // What was said while nobody listened has been missed: so all look for themselves, whenever listening begins.
    this.#listening ??= this.#driver.listen(
      CHANNEL,
      (tenantId) => this.#watchers.wake(tenantId),
      () => this.#watchers.wakeAll(),
    );
    this.#listening.catch(() => (this.#listening = undefined));
  }
}

/** An event without what only its place in the log is made of. */
type Told<R extends NumberedRow> = Omit<R, 'snapshot' | 'isPruned' | 'transaction' | 'seq' | 'at'> & {
  readonly id: string;
  readonly at: string;
};

function startOf(after: string | undefined): EventPosition {
  return after === undefined ? BEGINNING : positionOf(after);
}

/** A full page goes as far as its last event; any other as far as the log went at that moment. */
function pageOf<R extends NumberedRow>(start: EventPosition, rows: readonly R[], limit: number): StreamPage<Told<R>> {
  const end = positionOfSnapshot(rows[0]?.snapshot ?? '');
  const items = rows.flatMap(
    ({ snapshot: _snapshot, isPruned: _isPruned, transaction, seq, at, ...rest }): Told<R>[] => {
      if (transaction === null || transaction >= end.next) return [];
      const id = textOf(afterEvent(start, end, { transaction, seq }));
      return [{ id, ...rest, at: new Date(at).toISOString() }];
    },
  );
  return { items, position: (items.length < limit ? undefined : items.at(-1)?.id) ?? textOf(end) };
}
