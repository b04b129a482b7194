/** Accesses that are still to be counted: gathered in memory and written down together, soon after. */

import { LaminaError } from '../../domain/error.ts';
import type { Principal } from '../../domain/principal.ts';
import type { Clock } from '../../ports/clock.ts';
import { contextOf, type PostgresDatabase } from './postgres-database.ts';

// In the order of seq, as everyone who locks several entries. What is gone, or not this user's to see, is left out.
const COUNT_ACCESSES = `
  INSERT INTO lamina.entry_accesses AS a (tenant_id, seq, access_count, last_accessed_at)
  SELECT e.tenant_id, e.seq, t.count, t.at
  FROM json_to_recordset($1::json) AS t (id uuid, count bigint, at bigint) JOIN lamina.entries e ON e.id = t.id
  ORDER BY e.seq
  ON CONFLICT (tenant_id, seq) DO UPDATE
  SET access_count = a.access_count + excluded.access_count,
      last_accessed_at = greatest(a.last_accessed_at, excluded.last_accessed_at)`;

const DELAY_MS = 1000;

/** While the database cannot be reached they pile up; from here on they are not worth their memory. */
const MAX_PENDING = 100_000;

interface Touches {
  readonly principal: Pick<Principal, 'tenantId' | 'userId'>;
  readonly byId: Map<string, { readonly count: number; readonly at: number }>;
}

type Outcome = 'written' | 'failed' | 'unreachable';

export class PostgresTouches {
  readonly #database: PostgresDatabase;
  readonly #clock: Clock;
  #pending = new Map<string, Touches>();
  #size = 0;
  #flushed: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;

  constructor(database: PostgresDatabase, clock: Clock) {
    this.#database = database;
    this.#clock = clock;
  }

  add(principal: Principal, ids: readonly string[]): void {
    const at = this.#clock.now();
    for (const id of ids) this.#count(principal, id, 1, at);
    this.#timer ??= setTimeout(() => void this.flush(), DELAY_MS).unref();
  }

  #count(principal: Touches['principal'], id: string, count: number, at: number): void {
    if (this.#size >= MAX_PENDING) return;
    const { tenantId, userId } = principal;
    const key = JSON.stringify([tenantId, userId]);
    const touches = this.#pending.get(key) ?? { principal: { tenantId, userId }, byId: new Map() };
    this.#pending.set(key, touches);
    const before = touches.byId.get(id);
    if (before === undefined) this.#size += 1;
    touches.byId.set(id, { count: (before?.count ?? 0) + count, at: Math.max(before?.at ?? at, at) });
  }

  /** When it resolves, nothing is being written any more. */
  flush(): Promise<void> {
    this.#flushed = this.#flushed.then(() => this.#flush());
    return this.#flushed;
  }

  /**
   * A failed write is not worth an error: the accesses are put back, and go with the next one. So are those of everybody
   * else where the database does not answer: each would wait for it anew, and whoever closes would wait for all of them.
   */
  async #flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const pending = this.#pending;
    this.#pending = new Map();
    this.#size = 0;
    let outcome: Outcome = 'written';
    for (const touches of pending.values()) {
      if (outcome !== 'unreachable') outcome = await this.#write(touches);
      if (outcome === 'written') continue;
      for (const [id, { count, at }] of touches.byId) this.#count(touches.principal, id, count, at);
    }
  }

  async #write({ principal, byId }: Touches): Promise<Outcome> {
    const touched = Array.from(byId, ([id, touch]) => ({ id, ...touch }));
    try {
      await this.#database.write(contextOf(principal), COUNT_ACCESSES, [JSON.stringify(touched)]);
      return 'written';
    } catch (error) {
      return error instanceof LaminaError && error.code === 'UNAVAILABLE' ? 'unreachable' : 'failed';
    }
  }
}
