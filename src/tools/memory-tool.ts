/** A memory tool for agents: defined once, offered by every framework integration. */

import type { z } from 'zod';
import { LaminaError } from '../domain/error.ts';
import type { Sensitivity, Trust } from '../domain/kind.ts';
import type { Identifiers } from '../domain/scope.ts';
import type { Memory } from '../operations/memory.ts';
import { validate } from '../operations/validate.ts';

/** Whose memory a tool works on. It comes from the program, never from the model. */
export interface ToolContext {
  /** Memory as seen by the principal that the agent works for. */
  readonly memory: Memory;
  /** The agent, if the principal does not name it. */
  readonly agentId?: string | undefined;
  /** The conversation that is going on. */
  readonly sessionId?: string | undefined;
  /** What else is open to it, such as a project. Used as given: include your own userId. */
  readonly identifiers?: Identifiers | undefined;
  /** The highest sensitivity that the model may see. Default `internal`; the rest is left out and counted. */
  readonly maxSensitivity?: Sensitivity | undefined;
  /** Less trusted text is not shown. Default `outside`: everything is shown, and text from tools and outside is marked. */
  readonly minTrust?: Trust | undefined;
}

export interface MemoryTool<Input extends z.ZodObject = z.ZodObject, Output extends z.ZodObject = z.ZodObject> {
  /** In snake_case and without a prefix: `save_fact`. */
  readonly name: string;
  /** A few words for people. */
  readonly title: string;
  /** Written for a language model: when to use it, and when not. */
  readonly description: string;
  readonly input: Input;
  readonly output: Output;
  /** Changes nothing. */
  readonly isReadOnly: boolean;
  /** Deletes something. */
  readonly isDestructive: boolean;
  /** Repeating it has no further effect. */
  readonly isIdempotent: boolean;
  /** Fails with a `LaminaError` whose message tells the model what to do. The input is already validated. */
  run(context: ToolContext, input: z.output<Input>): Promise<z.output<Output>>;
}

/** Keeps the types of its schemas, and turns the error about a layer that is not open into one that a model can act on. */
export function memoryTool<Input extends z.ZodObject, Output extends z.ZodObject>(
  tool: MemoryTool<Input, Output>,
): MemoryTool<Input, Output> {
  const run = tool.run.bind(tool);
  return {
    ...tool,
    run: async (context, input) => {
      try {
        return await run(context, input);
      } catch (error) {
        throw error instanceof LaminaError && error.code === 'MISSING_IDENTIFIER' ? notOpen(error) : error;
      }
    },
  };
}

/** The program decides the identifiers: no tool takes any. */
function notOpen(cause: LaminaError): LaminaError {
  const { layer, missing } = cause.details ?? {};
  const lacking = Array.isArray(missing) ? ` The program behind it names no ${missing.join(' and no ')}.` : '';
  const closed = typeof layer === 'string' ? `The ${layer} layer is not open here.${lacking}` : cause.message;
  return new LaminaError('MISSING_IDENTIFIER', closed, {
    advice: 'Leave the layer out, or use another one; if neither is possible, go on without it.',
    ...(cause.details && { details: cause.details }),
    cause,
  });
}

/**
 * Runs a tool on whatever a model sent. Throws `VALIDATION_FAILED` if that does not fit, `CONFIGURATION_ERROR` if the
 * context has no memory, and what the tool throws.
 */
export async function runTool<Input extends z.ZodObject, Output extends z.ZodObject>(
  tool: MemoryTool<Input, Output>,
  context: ToolContext,
  input: unknown,
): Promise<z.output<Output>> {
  assertMemory(context);
  return tool.run(context, validate(tool.input, input));
}

/** Otherwise every call would look like a storage failure. */
function assertMemory(context: ToolContext | undefined): void {
  if (isMemory(context?.memory)) return;
  throw new LaminaError(
    'CONFIGURATION_ERROR',
    isMemory(context)
      ? 'The context of the tools is an object that holds the memory, and not the memory itself: give ' +
          '{ memory: lamina.as({ userId }) }.'
      : 'The context of the tools has no memory of anybody: memory has to be lamina.as({ userId }), or the same of a ' +
          'LaminaClient, and not the Lamina itself.',
    { advice: 'Go on without memory: this is a mistake in the program.' },
  );
}

function isMemory(value: object | undefined): boolean {
  const memory: Partial<Memory> | undefined = value;
  return typeof memory?.search === 'function' && typeof memory.facts === 'object';
}
