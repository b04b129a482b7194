/** Workers that write to a memory as fast as it answers, and enter into a ledger what they were told. */

import { setTimeout as sleep } from 'node:timers/promises';
import { LaminaError } from '../src/domain/error.ts';
import type { Memory } from '../src/operations/memory.ts';
import { SeededRandom } from '../src/testing/seeded-random.ts';
import type { Ledger } from './crash-ledger.ts';
import type { Step } from './crash-steps.ts';
import { Worker } from './crash-worker.ts';

const WORKERS = 8;

/** After an answer that the memory cannot be used at the moment. */
const PAUSE_MS = 20;

export interface RunningLoad {
  /** Resolves when so many more writes were acknowledged, and throws what went wrong before that. */
  acknowledged(count: number): Promise<void>;
  /** Resolves when nothing is under way any more. */
  stop(): Promise<void>;
}

export class Load {
  readonly workers: readonly Worker[];
  readonly #ledger: Ledger;

  constructor(seed: number, ledger: Ledger) {
    this.#ledger = ledger;
    this.workers = Array.from(
      { length: WORKERS },
      (_, index) => new Worker(String(index), new SeededRandom(seed + index), ledger),
    );
  }

  /** Once per database. */
  async prepare(memory: Memory): Promise<void> {
    for (const { poolId } of this.workers) await memory.pools.create({ poolId });
  }

  begin(memory: Memory): RunningLoad {
    const stopping = new AbortController();
    const work = async (worker: Worker): Promise<void> => {
      while (!stopping.signal.aborted) {
        const isAnswered = await this.#try(worker.next(), memory);
        if (!isAnswered) await sleep(PAUSE_MS);
      }
    };
    const done = Promise.all(this.workers.map(work)).then(() => undefined);
    // Looked at when it is stopped.
    done.catch(() => {});
    const enough = async (count: number): Promise<void> => {
      while (this.#ledger.figures.acknowledged < count) await sleep(1);
    };
    return {
      acknowledged: (count) => Promise.race([done, enough(this.#ledger.figures.acknowledged + count)]),
      stop: async () => {
        stopping.abort();
        await done;
      },
    };
  }

  /** Whatever else goes wrong than an outage is a failure of the test. */
  async #try(step: Step, memory: Memory): Promise<boolean> {
    try {
      this.#ledger.acknowledge(step, await step.run(memory));
      return true;
    } catch (error) {
      if (!(error instanceof LaminaError) || error.code !== 'UNAVAILABLE') throw error;
      if (isAnswer(error)) this.#ledger.refuse();
      else this.#ledger.doubt(step);
      return false;
    }
  }
}

/** An answer that never came has a cause on this side; one that came may say that it does not know either. */
function isAnswer({ cause, details }: LaminaError): boolean {
  return cause === undefined && details?.['outcome'] !== 'unknown';
}
