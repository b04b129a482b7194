/** Turn context for a caller whose turn goes on whatever becomes of memory. */

import { asLaminaError, isOutage } from '../domain/error.ts';
import { inTime } from '../domain/in-time.ts';
import { turnContextInputSchema } from '../domain/turn.ts';
import { turnWithoutMemory } from '../domain/turn-prompt.ts';
import type { Invoke, OperationInput, OperationOutput } from './table.ts';
import { validate } from './validate.ts';

/** More than what the service itself waits for parts of memory. */
const PATIENCE_MS = 10_000;

/** Fails for what is wrong with the input or may not be done; where memory cannot be asked, gives the prompt without it. */
export async function turnContextOver(
  invoke: Invoke,
  input: OperationInput<'turnContext'>,
): Promise<OperationOutput<'turnContext'>> {
  try {
    return await inTime(invoke('turnContext', input), PATIENCE_MS);
  } catch (thrown) {
    const error = asLaminaError(thrown, 'turnContext');
    if (!isOutage(error)) throw error;
    return turnWithoutMemory(validated(input), `Memory could not be asked. ${error.message}`);
  }
}

/** Nobody may have looked at it yet. */
function validated(input: unknown): ReturnType<typeof turnContextInputSchema.parse> {
  try {
    return validate(turnContextInputSchema, input);
  } catch (thrown) {
    throw asLaminaError(thrown, 'turnContext');
  }
}
