/** Changing only what a model was allowed to see, in the version that it saw. */

import { LaminaError } from '../domain/error.ts';

/** Nobody is unlucky more often than this. */
const ATTEMPTS = 5;

/**
 * `work` reads something, then changes exactly the version that it read: what became too sensitive in between, or moved to
 * another layer, is not changed. On a conflict it is retried. Fails like the last attempt.
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

/** Not for other conflicts: they would be there the next time too. */
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
      advice: 'Tell the user that you cannot do this for them.',
    },
  );
}
