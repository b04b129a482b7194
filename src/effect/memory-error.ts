/** What goes wrong with memory, as an error of Effect. */

import { Schema } from 'effect';
import { asLaminaError, ERROR_TABLE, type ErrorCode } from '../domain/error.ts';

const CODES = Object.keys(ERROR_TABLE) as [ErrorCode, ...ErrorCode[]];

/**
 * Every failure of memory. `code` is stable, one of Lamina's table of errors; `message` tells people what to do;
 * `retryable` says whether the same call can succeed later. See `MemoryPortService` for what a failed call may have done.
 */
export class MemoryError extends Schema.TaggedError<MemoryError>('lamina/effect/MemoryError')('MemoryError', {
  code: Schema.Literals(CODES),
  message: Schema.String,
  retryable: Schema.Boolean,
}) {}

/** Anything that Lamina throws. */
export function memoryErrorOf(thrown: unknown): MemoryError {
  const { code, message, retryable } = asLaminaError(thrown);
  return new MemoryError({ code, message, retryable });
}
