/** What the measurements of one size share. */

import type { BenchEmbedder } from './bench-embedder.ts';
import type { Effort } from './options.ts';
import type { Progress } from './progress.ts';
import type { RawSide } from './raw-side.ts';
import type { StatementTape } from './statement-tape.ts';
import type { Workload } from './workload.ts';

export interface BenchContext {
  /** Lamina's data: what it asks of this file is written down. */
  readonly folder: string;
  /** The same again, unwatched: writes are timed here, because they cannot be done twice on one file. */
  readonly timedFolder: string;
  readonly workload: Workload;
  readonly embedder: BenchEmbedder;
  readonly tape: StatementTape;
  readonly raw: RawSide;
  readonly effort: Effort;
  readonly progress: Progress;
}
