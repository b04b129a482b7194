/** Accesses of state that are counted in memory and written down together, with a later commit. */

import type { Keeping, StatePlace } from '../../ports/state-store.ts';
import type { SqliteConnection } from './sqlite-connection.ts';
import { COUNT_STATE_ACCESS, type KeptState } from './sqlite-state-statements.ts';

interface Touch extends StatePlace {
  readonly count: number;
  readonly at: number;
  readonly keeping: Keeping | undefined;
}

/** What was counted of a value, as it stands there now. */
export interface Counted extends StatePlace, Pick<KeptState, 'accessCount' | 'lastAccessedAt' | 'keptUntil'> {}

export class SqliteStateTouches {
  #pending = new Map<string, Touch>();

  get size(): number {
    return this.#pending.size;
  }

  add(touch: Touch): void {
    const name = JSON.stringify([touch.namespace, touch.key]);
    const before = this.#pending.get(name);
    if (before === undefined) this.#pending.set(name, touch);
    else this.#pending.set(name, merged(before, touch));
  }

  /** All that there are; none are left. */
  take(): readonly Touch[] {
    const taken = [...this.#pending.values()];
    this.#pending = new Map();
    return taken;
  }
}

function merged(before: Touch, after: Touch): Touch {
  const { count, at, keeping } = after;
  return { ...before, count: before.count + count, at: Math.max(before.at, at), keeping: keeping ?? before.keeping };
}

/** What is gone meanwhile is not counted. */
export function countAccesses(connection: SqliteConnection, touches: readonly Touch[]): Counted[] {
  return touches.flatMap(({ namespace, key, count, at, keeping }) => {
    const kept = [keeping?.accesses ?? null, count, keeping?.ms ?? null];
    const values = [...kept, count, at, namespace, key];
    const counted = connection.first<Omit<Counted, keyof StatePlace>>(COUNT_STATE_ACCESS, ...values);
    return counted === undefined ? [] : [{ namespace, key, ...counted }];
  });
}
