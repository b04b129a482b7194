/** Telling the program what of memory failed. */

import { asLaminaError, type LaminaError } from '../domain/error.ts';
import type { MemoryMiddlewareOptions, Stage } from './middleware-options.ts';

/** The failure, once told. A program that fails at hearing it does not fail the call. */
export function reportFailure({ onFailure }: MemoryMiddlewareOptions, thrown: unknown, stage: Stage): LaminaError {
  const error = asLaminaError(thrown);
  try {
    onFailure?.(error, stage);
  } catch {
    // Whoever asked to be told has to mind their own failures.
  }
  return error;
}
