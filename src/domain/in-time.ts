/** Waiting with a timeout. */

import { LaminaError } from './error.ts';

/** The result of the work. On timeout throws `UNAVAILABLE`, or what `late` returns; the work itself is not stopped. */
export async function inTime<T>(work: Promise<T>, ms: number, late: () => Error = () => lateError(ms)): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const silence = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(late()), ms);
  });
  try {
    return await Promise.race([work, silence]);
  } finally {
    clearTimeout(timer);
  }
}

export function lateError(ms: number): LaminaError {
  const details = { outcome: 'unknown' };
  return new LaminaError('UNAVAILABLE', `There was no answer within ${ms} ms.`, { details });
}
