/** What the measurements of one size share. */

import type { BenchEmbedder } from './bench-embedder.ts';
import type { Effort } from './options.ts';
import type { Progress } from './progress.ts';
import type { RawSide } from './raw-side.ts';
import type { StatementTape } from './statement-tape.ts';
import type { Workload } from './workload.ts';

export interface BenchContext {
  /** Lamina's data. */
  readonly folder: string;
  readonly workload: Workload;
  readonly embedder: BenchEmbedder;
  readonly tape: StatementTape;
  readonly raw: RawSide;
  readonly effort: Effort;
  readonly progress: Progress;
}
