/** Waiting for something, but not for longer than it is worth. */

import { LaminaError } from './error.ts';

/** What the work gives, unless that takes longer. Throws `UNAVAILABLE` then; the work itself is not stopped. */
export async function inTime<T>(work: Promise<T>, ms: number): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(lateError(ms)), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

export function lateError(ms: number): LaminaError {
  const details = { outcome: 'unknown' };
  return new LaminaError('UNAVAILABLE', `There was no answer within ${ms} ms.`, { details });
}
