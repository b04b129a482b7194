/** Accesses that are still to be counted: gathered in memory and written down together, soon after. */

import { LaminaError } from '../../domain/error.ts';
import type { Principal } from '../../domain/principal.ts';
import { contextOf, type PostgresDatabase } from './postgres-database.ts';

const DELAY_MS = 1000;

/** While the database cannot be reached they pile up; from here on they are not worth their memory. */
const MAX_PENDING = 100_000;

/** So many accesses of one thing, the last of them at that time. */
interface Touch {
  readonly count: number;
  readonly at: number;
}

interface Touches<T extends Touch> {
  readonly principal: Pick<Principal, 'tenantId' | 'userId'>;
  readonly byName: Map<string, T>;
}

/** They add up; otherwise the last says what there is to say. */
function lastOfBoth<T extends Touch>(before: T, touch: T): T {
  return { ...touch, count: before.count + touch.count, at: Math.max(before.at, touch.at) };
}

type Outcome = 'written' | 'failed' | 'unreachable';

export class PostgresTouches<T extends Touch> {
  readonly #database: PostgresDatabase;
  readonly #sql: string;
  readonly #sum: (before: T, touch: T) => T;
  #pending = new Map<string, Touches<T>>();
  #size = 0;
  #flushed: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;

  /** `sql` writes them down: its only value is the list of them, as JSON. `sum` tells what two of one name come to. */
  constructor(database: PostgresDatabase, sql: string, sum: (before: T, touch: T) => T = lastOfBoth) {
    this.#database = database;
    this.#sql = sql;
    this.#sum = sum;
  }

  get size(): number {
    return this.#size;
  }

  add(principal: Principal, name: string, touch: T): void {
    this.#add(principal, name, touch);
    this.#timer ??= setTimeout(() => void this.flush(), DELAY_MS).unref();
  }

  #add({ tenantId, userId }: Touches<T>['principal'], name: string, touch: T): void {
    if (this.#size >= MAX_PENDING) return;
    const key = JSON.stringify([tenantId, userId]);
    const touches = this.#pending.get(key) ?? { principal: { tenantId, userId }, byName: new Map<string, T>() };
    this.#pending.set(key, touches);
    const before = touches.byName.get(name);
    if (before === undefined) this.#size += 1;
    touches.byName.set(name, before === undefined ? touch : this.#sum(before, touch));
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
      for (const [name, touch] of touches.byName) this.#add(touches.principal, name, touch);
    }
  }

  async #write({ principal, byName }: Touches<T>): Promise<Outcome> {
    try {
      await this.#database.write(contextOf(principal), this.#sql, [JSON.stringify([...byName.values()])]);
      return 'written';
    } catch (error) {
      return error instanceof LaminaError && error.code === 'UNAVAILABLE' ? 'unreachable' : 'failed';
    }
  }
}
