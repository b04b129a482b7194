/** Somebody who goes on writing while things are erased. */

import { onTestFinished } from 'vitest';
import type { Memory } from '../src/operations/memory.ts';

interface Written {
  readonly content: string;
  /** Whether it was acknowledged before the erasure was asked for. */
  readonly isBefore: boolean;
}

/** Writes entries and state until it is told to stop; tells what was acknowledged and what was refused. */
export class Writer {
  readonly acknowledged: Written[] = [];
  readonly refused: unknown[] = [];
  isErasing = false;
  #isStopped = false;
  readonly #ended: Promise<unknown>;

  constructor(memory: Memory, name: string) {
    // Should the test fail: what is closed refuses at once, and without end.
    onTestFinished(() => void (this.#isStopped = true));
    this.#ended = Promise.all([0, 1, 2].map((lane) => this.#write(memory, `${name}-${lane}`)));
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#ended;
  }

  async #write(memory: Memory, lane: string): Promise<void> {
    for (let count = 0; !this.#isStopped; count += 1) {
      const content = `${lane} writes ${count}`;
      try {
        await memory.working.increment({ planId: 'shared', key: lane, by: 1 });
        await memory.add({ content, layer: 'user' });
        this.acknowledged.push({ content, isBefore: !this.isErasing });
      } catch (error) {
        this.refused.push(error);
      }
    }
  }
}

/** Looks again and again. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve));
}
