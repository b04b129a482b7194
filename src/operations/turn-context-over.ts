/** Turn context for a caller whose turn continues even if memory fails. */

import { z } from 'zod';
import { asLaminaError, isOutage, LaminaError } from '../domain/error.ts';
import { inTime } from '../domain/in-time.ts';
import { turnContextInputSchema } from '../domain/turn.ts';
import { turnWithoutMemory } from '../domain/turn-prompt.ts';
import type { Invoke, OperationInput, OperationOutput } from './table.ts';
import { validate } from './validate.ts';

/** Longer than the service itself waits for parts of memory. */
const PATIENCE_MS = 10_000;

/** What a program relies on. Other versions may have more or fewer fields. */
const answerSchema = z.looseObject({
  prompt: z.string(),
  context: z.string(),
  tokens: z.number(),
  receipt: z.looseObject({
    taken: z.array(z.looseObject({})),
    leftOut: z.array(z.looseObject({})),
    counts: z.record(z.string(), z.number()),
  }),
  degraded: z.boolean(),
  warnings: z.array(z.string()).optional(),
});

/** Fails if the input is wrong or forbidden; if memory is unavailable, returns the prompt without it. */
export async function turnContextOver(
  invoke: Invoke,
  input: OperationInput<'turnContext'>,
): Promise<OperationOutput<'turnContext'>> {
  try {
    return answered(await inTime(invoke('turnContext', input), PATIENCE_MS));
  } catch (thrown) {
    const error = asLaminaError(thrown, 'turnContext');
    if (!isOutage(error)) throw error;
    return turnWithoutMemory(validated(input), `Memory could not be asked. ${error.message}`);
  }
}

/** Throws `PROVIDER_ERROR` for anything else: a sign-in page also comes with a success status. */
function answered(answer: OperationOutput<'turnContext'>): OperationOutput<'turnContext'> {
  if (answerSchema.safeParse(answer).success) return answer;
  throw new LaminaError(
    'PROVIDER_ERROR',
    'Something that is not Lamina answered; check the url and what stands in between.',
  );
}

/** It may not have been validated yet. */
function validated(input: unknown): ReturnType<typeof turnContextInputSchema.parse> {
  try {
    return validate(turnContextInputSchema, input);
  } catch (thrown) {
    throw asLaminaError(thrown, 'turnContext');
  }
}
