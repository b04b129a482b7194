/** Waiting for memory, but not for ever: the model's call goes on without it. */

import { LaminaError } from '../domain/error.ts';

/** What the work gives. Throws `UNAVAILABLE` when the time is over or the signal says stop; the work itself goes on. */
export async function within<T>(work: Promise<T>, timeoutMs: number, signal?: AbortSignal): Promise<T> {
  const { promise: over, reject } = Promise.withResolvers<never>();
  const giveUp = (why: string) => (): void => reject(new LaminaError('UNAVAILABLE', why));
  const onAbort = giveUp('The call was aborted.');
  const timer = setTimeout(giveUp(`Memory did not answer within ${timeoutMs} ms.`), timeoutMs);
  if (signal?.aborted) onAbort();
  signal?.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([work, over]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', onAbort);
  }
}
