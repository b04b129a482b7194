/** State in Redis: shared by all processes, and removed by Redis itself when its time is over. */

import type { Principal } from '../../domain/principal.ts';
import { assertStateVersion, type StateItem } from '../../domain/state.ts';
import type { Clock } from '../../ports/clock.ts';
import type { HotArchive, HotStore, StateSelection } from '../../ports/hot-store.ts';
import type { Keeping, StatePlace, StateSize, StateWrite } from '../../ports/state-store.ts';
import { heldOf, itemOf } from '../sql/state-row.ts';
import { redisArchive } from './redis-archive.ts';
import { evictionRisk } from './redis-check.ts';
import type { RedisConnection } from './redis-connection.ts';
import { countIn, countTenant, eraseIn, eraseTenant } from './redis-erasure.ts';
import { namespacePages, portions, rows, sums } from './redis-namespace.ts';
import { RedisStateWriter } from './redis-state-writer.ts';
import { FIELDS, rowOf } from './redis-value.ts';
import { CLEAR_VALUES, FREQUENT_VALUES, LIST_VALUES, MEASURE_VALUES, SWEEP_VALUES } from './redis-walk-scripts.ts';
import { DROP_VALUE, REMOVE_VALUE, TOUCH_VALUE } from './redis-write-scripts.ts';

/** Values of a list that are read at once: they may be large. */
const LIST_PORTION = 64;

export class RedisStateStore implements HotStore {
  readonly archive: HotArchive;
  readonly #connection: RedisConnection;
  readonly #clock: Clock;
  readonly #writer: RedisStateWriter;
  #latest = 0;

  constructor(connection: RedisConnection, clock: Clock) {
    this.#connection = connection;
    this.#clock = clock;
    this.#writer = new RedisStateWriter(connection, () => this.#now());
    this.archive = redisArchive(connection, () => this.#now());
  }

  get isUp(): boolean {
    return this.#connection.isReady;
  }

  async get({ tenantId }: Principal, namespace: string, key: string): Promise<StateItem | null> {
    const name = this.#connection.keys.value(tenantId, namespace) + key;
    const fields = await this.#connection.send(['HMGET', name, ...FIELDS], 'reads');
    const row = rowOf(fields as string[]);
    if (row === undefined) return null;
    if (row.expires_at === null || row.expires_at > this.#now()) return itemOf(key, heldOf(row));
    // The clock of Redis runs behind ours: gone is gone.
    void this.#change(DROP_VALUE, tenantId, namespace, key, '').catch(() => {});
    return null;
  }

  async list({ tenantId }: Principal, namespace: string, limit: number, afterKey?: string): Promise<StateItem[]> {
    const portion = Math.max(1, Math.min(limit, LIST_PORTION));
    const walk = { script: LIST_VALUES, effect: 'reads', tenantId, namespace, now: this.#now(), portion } as const;
    return (await rows(this.#connection, { ...walk, after: afterKey }, limit)).map(itemIn);
  }

  async write({ tenantId }: Principal, namespace: string, key: string, write: StateWrite): Promise<StateItem> {
    return this.#writer.write({ tenantId, namespace, key }, write);
  }

  async remove({ tenantId }: Principal, namespace: string, key: string, ifVersion?: number): Promise<boolean> {
    const expected = ifVersion === undefined ? '' : String(ifVersion);
    const reply = await this.#change(REMOVE_VALUE, tenantId, namespace, key, expected);
    if (typeof reply === 'string') assertStateVersion(key, Number(reply), ifVersion);
    return reply === 1;
  }

  async clear({ tenantId }: Principal, namespace: string): Promise<number> {
    const walk = { script: CLEAR_VALUES, effect: 'writes', tenantId, namespace, now: this.#now() } as const;
    return (await sums(this.#connection, walk))[0] ?? 0;
  }

  touch({ tenantId }: Principal, namespace: string, key: string, keeping?: Keeping): void {
    const kept = keeping === undefined ? ['', '0'] : [String(keeping.accesses), String(keeping.ms)];
    const name = this.#connection.keys.value(tenantId, namespace) + key;
    // Not worth an error: it is one access.
    void this.#connection.run(TOUCH_VALUE, [name], [String(this.#now()), ...kept], 'writes').catch(() => {});
  }

  async measure({ tenantId }: Principal, namespace: string): Promise<StateSize> {
    const walk = { script: MEASURE_VALUES, effect: 'reads', tenantId, namespace, now: this.#now() } as const;
    const [count = 0, bytes = 0, accesses = 0] = await sums(this.#connection, walk);
    return { count, bytes, accesses };
  }

  async frequent(
    tenantId: string,
    prefix: string,
    accesses: number,
    limit: number,
    after?: StatePlace,
  ): Promise<(StateItem & StatePlace)[]> {
    const items: (StateItem & StatePlace)[] = [];
    const walk = { script: FREQUENT_VALUES, effect: 'reads', tenantId, now: this.#now() } as const;
    const values = [String(accesses)];
    for await (const page of namespacePages(this.#connection, tenantId, prefix, after?.namespace)) {
      const found = await Promise.all(
        page.map(async (namespace) => {
          const afterKey = namespace === after?.namespace ? after.key : undefined;
          const all = await rows(this.#connection, { ...walk, namespace, after: afterKey, values }, limit);
          return all.map((fields) => ({ namespace, ...itemIn(fields) }));
        }),
      );
      items.push(...found.flat());
      if (items.length >= limit) break;
    }
    return items.slice(0, limit);
  }

  /** What Redis itself has let expire has left its key behind. */
  async sweep(signal: AbortSignal, tenantId?: string): Promise<number> {
    const all = async (): Promise<string[]> =>
      (await this.#connection.send(['SMEMBERS', this.#connection.keys.tenants], 'reads')) as string[];
    let count = 0;
    for (const id of tenantId === undefined ? await all() : [tenantId]) {
      for await (const page of namespacePages(this.#connection, id, '')) {
        const counts = await Promise.all(page.map((namespace) => this.#sweep(id, namespace, signal)));
        count = counts.reduce((sum, some) => sum + some, count);
        if (signal.aborted) return count;
      }
    }
    return count;
  }

  async #sweep(tenantId: string, namespace: string, signal: AbortSignal): Promise<number> {
    const walk = { script: SWEEP_VALUES, effect: 'writes', tenantId, namespace, now: this.#now() } as const;
    let count = 0;
    for await (const [some] of portions(this.#connection, walk)) {
      count += Number(some);
      if (signal.aborted) break;
    }
    return count;
  }

  countIn(tenantId: string, selection: StateSelection): Promise<number> {
    return countIn(this.#connection, tenantId, selection);
  }

  eraseIn(tenantId: string, selection: StateSelection): Promise<number> {
    return eraseIn(this.#connection, tenantId, selection);
  }

  countTenant(tenantId: string): Promise<number> {
    return countTenant(this.#connection, tenantId);
  }

  eraseTenant(tenantId: string): Promise<number> {
    return eraseTenant(this.#connection, tenantId);
  }

  check(): Promise<string | undefined> {
    return evictionRisk(this.#connection);
  }

  close(): Promise<void> {
    return this.#connection.close();
  }

  #change(
    script: typeof REMOVE_VALUE,
    tenantId: string,
    namespace: string,
    key: string,
    expected: string,
  ): ReturnType<RedisConnection['run']> {
    const keys = [
      this.#connection.keys.value(tenantId, namespace) + key,
      this.#connection.keys.index(tenantId, namespace),
      this.#connection.keys.namespaces(tenantId),
    ];
    return this.#connection.run(script, keys, [String(this.#now()), expected, '', key, namespace], 'writes');
  }

  /** Never goes back: what has expired once must not come back when somebody sets the clock. */
  #now(): number {
    this.#latest = Math.max(this.#latest, Math.floor(this.#clock.now()));
    return this.#latest;
  }
}

/** A value as the scripts give it, its key last. */
function itemIn(fields: readonly string[]): StateItem {
  const row = rowOf(fields);
  if (row === undefined) throw new Error('Redis gave a value without its text.');
  return itemOf(fields[FIELDS.length] ?? '', heldOf(row));
}
