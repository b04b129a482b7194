/**
 * Writing in lockstep: a block by a Lamina that is recorded, the same by one that is timed, and by the raw side what was recorded, so
 * that all three files stay equal. To record and to time at once would charge Lamina for what the tape keeps: measured, up to half again.
 */

import type { BenchContext } from './bench-context.ts';
import type { LaminaSide } from './lamina-side.ts';
import type { Call } from './statement-tape.ts';
import { compare, Samples, type Comparison } from './statistics.ts';
import type { Write } from './workload.ts';

/** The ids under which a call stored its entries. */
export type WriteCall = (lamina: LaminaSide, writes: readonly Write[]) => Promise<string[]>;

interface Recorded {
  readonly value: string[];
  readonly calls: readonly Call[];
}

/** Two of the same. */
export interface LaminaSides {
  readonly recorded: LaminaSide;
  readonly timed: LaminaSide;
}

export class Lockstep {
  readonly #context: BenchContext;
  readonly #laminas: LaminaSides;
  readonly #sides = { lamina: new Samples(), raw: new Samples() };
  #entries = 0;
  #statements = 0;

  constructor(context: BenchContext, laminas: LaminaSides) {
    this.#context = context;
    this.#laminas = laminas;
  }

  /** Makes a call for each item of the block, on all sides. Returns the ids in the recorded file, call by call. */
  async write(call: WriteCall, block: readonly (readonly Write[])[]): Promise<string[][]> {
    const { embedder, tape, raw } = this.#context;
    embedder.prepare(block.flat().map(({ input }) => input.content));
    const { recorded: watched, timed } = this.#laminas;
    const recorded: Recorded[] = [];
    for (const writes of block) recorded.push(await tape.record(() => call(watched, writes)));
    await watched.settled();
    await this.#sides.lamina.block(
      block,
      (writes) => call(timed, writes),
      () => timed.settled(),
    );
    const cues = recorded.map(({ calls }) => raw.cue(calls));
    await this.#sides.raw.block(cues, (cue) => raw.play(cue));
    this.#entries += block.flat().length;
    this.#statements += recorded.reduce((sum, { calls }) => sum + calls.length, 0);
    return recorded.map(({ value }) => value);
  }

  comparison(operation: string): Comparison {
    const { count } = this.#sides.lamina;
    const row = { operation, entriesPerCall: this.#entries / count, statementsPerCall: this.#statements / count };
    return compare(row, this.#sides);
  }
}
