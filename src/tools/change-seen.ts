/** Changing what a model was allowed to see, and as it was when that was looked at. */

import { LaminaError } from '../domain/error.ts';

/** More often than this nobody is unlucky. */
const ATTEMPTS = 5;

/**
 * `work` looks at something, and then changes the very version that it saw: what became too sensitive in between, or moved to
 * another layer, is not changed. Where it has changed, all of it is done again. Fails as the last attempt does.
 */
export async function changeSeen<T>(work: () => Promise<T>): Promise<T> {
  for (let left = ATTEMPTS - 1; ; left -= 1) {
    try {
      return await work();
    } catch (error) {
      if (left === 0 || !isOutdated(error)) throw error;
    }
  }
}

/** Not where something else stands in the way: that is there the next time too. */
function isOutdated(error: unknown): boolean {
  if (!(error instanceof LaminaError) || error.code !== 'VERSION_CONFLICT') return false;
  return error.details?.['conflictingId'] === undefined;
}

/** No model changes or deletes what it may not be shown. */
export function tooSensitive(): LaminaError {
  return new LaminaError(
    'FORBIDDEN',
    'This memory is too sensitive to be shown to you, so you cannot change it either.',
    {
      advice: 'Tell the user that it has to be done without you.',
    },
  );
}
