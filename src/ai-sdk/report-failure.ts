/** Reporting memory failures to the program. */

import { asLaminaError, type LaminaError } from '../domain/error.ts';
import type { MemoryMiddlewareOptions, Stage } from './middleware-options.ts';

/** The failure, after it was reported. A callback that throws does not fail the call. */
export function reportFailure({ onFailure }: MemoryMiddlewareOptions, thrown: unknown, stage: Stage): LaminaError {
  const error = asLaminaError(thrown);
  try {
    onFailure?.(error, stage);
  } catch {
    // Errors of the callback are its own concern.
  }
  return error;
}
