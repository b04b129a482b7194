/** The one answer to everyone whose credentials do not do: it says nothing that helps with guessing. */

import { LaminaError } from './error.ts';

/** The reason is for the log of those who run the service, and must not hold a credential. */
export function unauthorized(reason: string): LaminaError {
  return new LaminaError('UNAUTHORIZED', 'Valid credentials are needed: a bearer token or an API key.', {
    cause: new Error(reason),
  });
}
