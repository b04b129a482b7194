/** Doing something for one of many, whose error says for which. Pure. */

import { LaminaError } from './error.ts';

/** `list` is what the many are called where they were given. */
export function numbered<T>(list: string, index: number, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof LaminaError)) throw error;
    const details = { ...error.details, index };
    throw new LaminaError(error.code, `${list}.${index}: ${error.message}`, { details, cause: error });
  }
}
