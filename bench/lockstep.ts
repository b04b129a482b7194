/** Writing in lockstep: a block by Lamina, recorded, then the same block by the raw side, so that both stay equal. */

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

export class Lockstep {
  readonly #context: BenchContext;
  readonly #lamina: LaminaSide;
  readonly #sides = { lamina: new Samples(), raw: new Samples() };
  #entries = 0;
  #statements = 0;

  constructor(context: BenchContext, lamina: LaminaSide) {
    this.#context = context;
    this.#lamina = lamina;
  }

  /** Makes a call for each item of the block, on both sides. Returns the ids of what was stored, call by call. */
  async write(call: WriteCall, block: readonly (readonly Write[])[]): Promise<string[][]> {
    const { embedder, tape, raw } = this.#context;
    embedder.prepare(block.flat().map(({ input }) => input.content));
    const recorded: Recorded[] = [];
    const record = async (writes: readonly Write[]): Promise<void> => {
      recorded.push(await tape.record(() => call(this.#lamina, writes)));
    };
    await this.#sides.lamina.block(block, record, () => this.#lamina.settled());
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
