/** A tool of an agent over memory: defined once, offered by every framework's door. */

import type { z } from 'zod';
import { LaminaError } from '../domain/error.ts';
import type { Sensitivity, Trust } from '../domain/kind.ts';
import type { Identifiers } from '../domain/scope.ts';
import type { Memory } from '../operations/memory.ts';
import { validate } from '../operations/validate.ts';

/** Whose memory a tool works on. It comes from the program, never from the model. */
export interface ToolContext {
  /** Memory as the principal sees it for whom the agent works. */
  readonly memory: Memory;
  /** The agent, where the principal does not name it. */
  readonly agentId?: string | undefined;
  /** The conversation that is going on. */
  readonly sessionId?: string | undefined;
  /** What else is open to it, such as a project. They are taken as they are: name your own userId as well. */
  readonly identifiers?: Identifiers | undefined;
  /** The most sensitive of what the model may be shown. Default `internal`; the rest is left out and counted. */
  readonly maxSensitivity?: Sensitivity | undefined;
  /** What is less trusted is not shown. Default `outside`: everything is, and what tools and others wrote says so. */
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
  /** Takes something away. */
  readonly isDestructive: boolean;
  /** Doing it twice is as doing it once. */
  readonly isIdempotent: boolean;
  /** Fails with a `LaminaError` whose message tells the model what to do. The input fits the schema already. */
  run(context: ToolContext, input: z.output<Input>): Promise<z.output<Output>>;
}

/** Keeps the types of its schemas, and tells a model of a layer that is not open in words that it can do something with. */
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

/** Which ids there are is for the program to say: no tool takes any. */
function notOpen(cause: LaminaError): LaminaError {
  const { layer, missing } = cause.details ?? {};
  const lacking = Array.isArray(missing) ? ` The program behind it names no ${missing.join(' and no ')}.` : '';
  const closed = typeof layer === 'string' ? `The ${layer} layer is not open here.${lacking}` : cause.message;
  return new LaminaError('MISSING_IDENTIFIER', closed, {
    advice: 'Leave the layer out, or use another one; where that is not possible, go on without.',
    ...(cause.details && { details: cause.details }),
    cause,
  });
}

/**
 * Runs a tool on whatever a model sent. Throws `VALIDATION_FAILED` where that does not fit, `CONFIGURATION_ERROR` where the
 * context has no memory of anybody, and what the tool throws.
 */
export async function runTool(tool: MemoryTool, context: ToolContext, input: unknown): Promise<object> {
  assertMemory(context);
  return tool.run(context, validate(tool.input, input));
}

/** Else every call would look like a failure of the storage. */
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
