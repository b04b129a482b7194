/** Replaying recorded searches on a database as it is now, with other settings, and without leaving a trace. */

import { LaminaError } from '../domain/error.ts';
import type { PrincipalInput } from '../domain/principal.ts';
import type { Ranking } from '../domain/ranking.ts';
import type { RecallReceipt, StoredReceipt } from '../domain/recall-receipt.ts';
import type { SearchInput } from '../domain/recall.ts';
import type { Memory } from '../operations/memory.ts';
import type { Engine } from '../ports/engine.ts';
import type { StateItem } from '../domain/state.ts';
import type { StateStore } from '../ports/state-store.ts';
import { hostTracing } from '../telemetry/open-telemetry-tracing.ts';
import type { Configuration } from './configuration.ts';
import { openConfigured } from './configured-lamina.ts';
import type { LaminaOptions } from './lamina-options.ts';
import type { Lamina } from './lamina.ts';
import { systemClock } from './system.ts';

/** A search that was asked again. */
export interface Replayed {
  /** As it would have been recorded now. */
  readonly receipt: StoredReceipt;
  /** Those of its results that were not there yet when it was recorded. */
  readonly newIds: ReadonlySet<string>;
}

/** What a replay may ask for otherwise than it was asked. */
export type Changes = Partial<Pick<SearchInput, 'mode' | 'threshold'>>;

const PAGE = 100;

/**
 * Memory of one user, for looking only: no access is counted, no receipt is kept, and it ranks as of the moment at which a search
 * was recorded, so that only what changed since makes a difference.
 */
export class Replay {
  readonly #lamina: Lamina;
  readonly #memory: Memory;
  readonly #kept: Map<string, StoredReceipt>;
  readonly #clock: { at: number };

  private constructor(
    lamina: Lamina,
    principal: PrincipalInput,
    kept: Map<string, StoredReceipt>,
    clock: { at: number },
  ) {
    this.#lamina = lamina;
    this.#memory = lamina.as(principal);
    this.#kept = kept;
    this.#clock = clock;
  }

  /** Throws `CONFIGURATION_ERROR` and `UNAVAILABLE`, and then holds on to nothing. */
  static async open(
    configuration: Configuration,
    principal: PrincipalInput,
    ranking: Partial<Ranking>,
  ): Promise<Replay> {
    const kept = new Map<string, StoredReceipt>();
    const time = { at: systemClock.now() };
    const otherwise = (engine: Engine): LaminaOptions => ({
      engine: forLooking(engine, kept),
      redis: undefined,
      qdrant: undefined,
      isModelFixed: true,
      clock: { ...systemClock, now: () => time.at },
      ranking,
    });
    const { lamina } = await openConfigured(configuration, { tracing: hostTracing(), otherwise });
    return new Replay(lamina, principal, kept, time);
  }

  /** All that the user has, oldest first. */
  async receipts(): Promise<RecallReceipt[]> {
    const receipts: RecallReceipt[] = [];
    let cursor: string | undefined;
    for (;;) {
      const page = await this.#memory.receipts.list({ limit: PAGE, ...(cursor !== undefined && { cursor }) });
      for (const { receiptId } of page.receipts) {
        const receipt = await this.#memory.receipts.get({ receiptId });
        if (receipt !== null) receipts.push(receipt);
      }
      if (page.nextCursor === null) return receipts;
      cursor = page.nextCursor;
    }
  }

  /** Throws what the search throws. */
  async again({ asked, createdAt }: RecallReceipt, changes: Changes): Promise<Replayed> {
    this.#clock.at = Date.parse(createdAt);
    const { results, receiptId = '', warnings } = await this.#memory.search({ ...asked, ...changes, record: true });
    const receipt = this.#kept.get(receiptId);
    this.#kept.clear();
    if (receipt === undefined)
      throw new LaminaError('UNAVAILABLE', `The search could not be replayed. ${warnings?.join(' ') ?? ''}`);
    const isNew = (at: string): boolean => Date.parse(at) > this.#clock.at;
    const newIds = results.flatMap(({ memory }) => (isNew(memory.createdAt) ? [memory.id] : []));
    return { receipt, newIds: new Set(newIds) };
  }

  /** Closes the database as well. */
  async close(): Promise<void> {
    await this.#lamina.close();
  }
}

/** Accesses are not counted, and receipts are kept here instead of being stored. */
function forLooking(engine: Engine, kept: Map<string, StoredReceipt>): Engine {
  const state: Pick<StateStore, 'write' | 'measure'> = {
    write: (_principal, _namespace, key, { mutation }) => {
      if (mutation.type !== 'set') throw new TypeError('A replay writes nothing but receipts.');
      kept.set(key, mutation.value as unknown as StoredReceipt);
      const at = new Date(0).toISOString();
      const item: StateItem = { key, value: mutation.value, version: 1, createdAt: at, updatedAt: at, accessCount: 0 };
      return Promise.resolve(item);
    },
    measure: () => Promise.resolve({ count: 0, bytes: 0, accesses: 0 }),
  };
  return replaced(engine, {
    entries: replaced(engine.entries, { touch: () => {} }),
    state: replaced(engine.state, state),
  });
}

/** The same with some of it replaced. */
export function replaced<Whole extends object>(whole: Whole, parts: Partial<Whole>): Whole {
  return new Proxy(whole, {
    get(target, name): unknown {
      if (Object.hasOwn(parts, name)) return Reflect.get(parts, name);
      const value = Reflect.get(target, name, target) as unknown;
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
}
