/** The one answer to invalid credentials: it says nothing that helps with guessing. */

import { LaminaError } from './error.ts';

/** The reason is for the operator's log, and must not contain a credential. */
export function unauthorized(reason: string): LaminaError {
  return new LaminaError('UNAUTHORIZED', 'Valid credentials are needed: a bearer token or an API key.', {
    cause: new Error(reason),
  });
}
