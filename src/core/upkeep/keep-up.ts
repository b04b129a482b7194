/** What one process does for all in the background, for as long as it leads. */

import { pause } from '../../domain/pause.ts';
import type { Dependencies } from '../dependencies.ts';
import type { Schedule } from '../maintenance/schedule.ts';
import { upkeepRound } from './round.ts';

export interface UpkeepOptions {
  /** When the nightly jobs are due; without it only what has expired is removed. */
  readonly schedule?: Schedule | undefined;
  /** Milliseconds between two rounds. What has expired is out of sight at once: it is only about the room it takes. */
  readonly roundMs: number;
}

/** A clock that is set, or a machine that slept, must not make it wait for longer than that, or run all the time. */
const MIN_PAUSE_MS = 250;

/** Until the signal tells to stop. What fails is tried again the next time. */
export async function keepUp(dependencies: Dependencies, options: UpkeepOptions, signal: AbortSignal): Promise<void> {
  const { clock } = dependencies;
  while (!signal.aborted) {
    const wakeAt = await upkeepRound(dependencies, { schedule: options.schedule, signal }).catch(() => undefined);
    const now = clock.now();
    const waits = [wakeAt, options.schedule?.nextDue(now)].flatMap((at) => (at === undefined ? [] : [at - now]));
    await pause(Math.max(MIN_PAUSE_MS, Math.min(options.roundMs, ...waits)), signal);
  }
}
