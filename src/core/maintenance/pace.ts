/** Pacing: a job takes about half of the time of its process, and yields to others after each piece. */

import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock } from '../../ports/clock.ts';

/** However long a piece took: somebody else may have done it, such as a language model. */
const MAX_REST_MS = 250;

/** Called after each piece of work, the smaller the better: nobody is served while one is done. */
export type Rest = () => Promise<void>;

/** Rests for as long as was worked since the last rest. */
export function paced(clock: Clock): Rest {
  let since = clock.now();
  return async () => {
    await nextTurn();
    const worked = clock.now() - since;
    // Too little to tell is counted with the next piece.
    if (worked <= 0) return;
    await clock.sleep(Math.min(worked, MAX_REST_MS));
    since = clock.now();
  };
}
