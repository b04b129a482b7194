/** The background work of the leader. */

import { pause } from '../../domain/pause.ts';
import type { Dependencies } from '../dependencies.ts';
import type { Schedule } from '../maintenance/schedule.ts';
import { upkeepRound } from './round.ts';

export interface UpkeepOptions {
  /** When the nightly jobs are due; without it only what has expired is removed. */
  readonly schedule?: Schedule | undefined;
  /** Milliseconds between two rounds. Expired data is hidden at once: this only frees its space. */
  readonly roundMs: number;
}

/** A clock change or a machine that slept must not make it wait longer than this, or run all the time. */
const MIN_PAUSE_MS = 250;

/** Until the signal aborts. Failures are reported to telemetry, and retried in the next round. */
export async function keepUp(dependencies: Dependencies, options: UpkeepOptions, signal: AbortSignal): Promise<void> {
  const { clock } = dependencies;
  while (!signal.aborted) {
    const wakeAt = await upkeepRound(dependencies, { schedule: options.schedule, signal });
    const now = clock.now();
    const waits = [wakeAt, options.schedule?.nextDue(now)].flatMap((at) => (at === undefined ? [] : [at - now]));
    await pause(Math.max(MIN_PAUSE_MS, Math.min(options.roundMs, ...waits)), signal);
  }
}
