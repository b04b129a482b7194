/** One of those who write in the crash tests: what it has written, and what it does next. */

import { randomUUID } from 'node:crypto';
import type { SeededRandom } from '../src/testing/seeded-random.ts';
import type { Ledger } from './crash-ledger.ts';
import { cellOf, MAKERS, type Step } from './crash-steps.ts';

/** So many things of a kind a worker keeps at a time: it deletes what is beyond, so that a database can live for long. */
const MAX_ENTRIES = 30;
const MAX_OTHERS = 6;
const KEYS = 4;

/** One of them writes after the other; what it writes nobody else does. */
export class Worker {
  readonly planId: string;
  readonly poolId: string;
  readonly random: SeededRandom;
  readonly #ledger: Ledger;
  readonly #ids = { entry: new Set<string>(), plan: new Set<string>(), fact: new Set<string>() };
  /** Ids of entries by the external id that they go by. */
  readonly #named = new Map<string, string>();

  constructor(name: string, random: SeededRandom, ledger: Ledger) {
    this.planId = `work-${name}`;
    this.poolId = `pool-${name}`;
    this.random = random;
    this.#ledger = ledger;
  }

  next(): Step {
    for (;;) {
      const step = this.random.pick(MAKERS)(this);
      if (step !== undefined && !step.changes.some(({ cell }) => this.#ledger.isDoubted(cell))) return step;
    }
  }

  made(kind: 'entry' | 'plan' | 'fact'): string {
    const id = kind === 'plan' ? `plan-${this.random.word()}` : randomUUID();
    this.#ids[kind].add(id);
    return id;
  }

  /** The id behind an external id, the same for good. */
  named(externalId: string): string {
    const id = this.#named.get(externalId) ?? randomUUID();
    this.#named.set(externalId, id);
    return id;
  }

  /** One that is known to be there. */
  any(kind: 'entry' | 'plan' | 'fact'): string | undefined {
    const there = this.#there(kind);
    return there.length === 0 ? undefined : this.random.pick(there);
  }

  hasTooMany(kind: 'entry' | 'plan' | 'fact'): boolean {
    return this.#there(kind).length > (kind === 'entry' ? MAX_ENTRIES : MAX_OTHERS);
  }

  key(type: string): string {
    return `${type}-${this.random.below(KEYS)}`;
  }

  value<T>(cell: string): T | undefined {
    return this.#ledger.known(cell)?.value as T | undefined;
  }

  version(cell: string): number | undefined {
    return this.#ledger.known(cell)?.version;
  }

  #there(kind: 'entry' | 'plan' | 'fact'): string[] {
    const isThere = (id: string): boolean => this.#ledger.known(cellOf[kind](id)) !== undefined;
    for (const id of this.#ids[kind]) {
      if (!isThere(id) && !this.#ledger.isDoubted(cellOf[kind](id))) this.#ids[kind].delete(id);
    }
    return [...this.#ids[kind]].filter(isThere);
  }
}
