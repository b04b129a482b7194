/** What an operation answers where "not there" is a failure: over HTTP, and to an agent that called a tool. */

import { LaminaError } from '../domain/error.ts';
import { isAbsence, type Operation } from './operation.ts';

/** The output itself. Throws `MEMORY_NOT_FOUND` or `NOT_FOUND` if it reports absence. */
export function presentOutput(operation: Operation, output: object | null): object {
  if (output !== null && !isAbsence(operation, output)) return output;
  const code = operation.absent?.code ?? 'NOT_FOUND';
  const thing = code === 'MEMORY_NOT_FOUND' ? 'memory' : 'thing';
  throw new LaminaError(code, `There is no such ${thing}, or it is not yours to see.`);
}
