/** Waiting for memory no longer than the caller waits for the model. */

import { LaminaError } from '../domain/error.ts';

/** The result of the work. Throws `UNAVAILABLE` once the signal aborts; the work itself continues. */
export async function untilAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work;
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const stop = (): void => reject(new LaminaError('UNAVAILABLE', 'The call was aborted.'));
  if (signal.aborted) stop();
  signal.addEventListener('abort', stop, { once: true });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
