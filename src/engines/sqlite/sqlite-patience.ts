/** Waiting for another process that holds the file, without holding up this one's event loop meanwhile. */

import { LaminaError } from '../../domain/error.ts';
import type { Clock } from '../../ports/clock.ts';
import { isBusy } from './sqlite-error.ts';

/** How long to wait in all. */
const MAX_WAIT_MS = 10_000;
const MAX_PAUSE_MS = 20;

/** Makes the attempt until it does not find the file busy. Throws `UNAVAILABLE` when that takes too long. */
export async function whenFree<T>(clock: Clock, attempt: () => T): Promise<T> {
  const deadline = clock.now() + MAX_WAIT_MS;
  for (let pause = 1; ; pause = Math.min(MAX_PAUSE_MS, pause * 2)) {
    try {
      return attempt();
    } catch (error) {
      if (!isBusy(error)) throw error;
      if (clock.now() > deadline) {
        throw new LaminaError('UNAVAILABLE', 'Another process has been writing to this data for too long.', {
          cause: error,
        });
      }
      await clock.sleep(pause);
    }
  }
}
