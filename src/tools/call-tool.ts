/** Answering a model's tool call, text in and text out. */

import { asLaminaError, LaminaError, type ErrorCode } from '../domain/error.ts';
import { runTool, type MemoryTool, type ToolContext } from './memory-tool.ts';
import { MEMORY_TOOLS, offeredName } from './memory-tools.ts';
import { withoutNulls } from './strict-schema.ts';

export interface CallToolOptions {
  /** Which tools there are. Default all memory tools. */
  readonly tools?: readonly MemoryTool[];
  /**
   * What happens to failures. `answer`, the default: the model is told as JSON (`{"error": {code, message, advice,
   * retryable, details}}`) and can correct itself or go on without memory. `throw`: as a `LaminaError`, also for mistakes of the model.
   */
  readonly failures?: 'answer' | 'throw';
}

/**
 * Calls the tool that a model named with the arguments that it wrote, and returns JSON for it to read. Arguments are JSON text, or an object if a service has already parsed it. Names are taken as offered (`memory_recall`), bare
 * (`recall`) or with a dot (`memory.recall`).
 *
 * Never rejects, unless `failures` is `throw`: errors are reported to the model without anything that only the program should know.
 */
export async function callTool(
  context: ToolContext,
  name: string,
  given: string | object | null | undefined,
  { tools = MEMORY_TOOLS, failures = 'answer' }: CallToolOptions = {},
): Promise<string> {
  try {
    const tool = toolNamed(tools, name);
    return JSON.stringify(await runTool(tool, context, withoutNulls(tool.input, parsed(given))));
  } catch (thrown) {
    const error = asLaminaError(thrown);
    if (failures === 'throw') throw error;
    return JSON.stringify({ error: failureOf(error) });
  }
}

/** What a model is told about a failure. */
export interface ToolFailure {
  readonly code: ErrorCode;
  readonly message: string;
  readonly advice: string;
  readonly retryable: boolean;
  /** The same as data, such as which fields did not fit. */
  readonly details?: Readonly<Record<string, unknown>>;
}

function failureOf({ code, message, advice, retryable, details }: LaminaError): ToolFailure {
  return { code, message, advice, retryable, ...(details && { details }) };
}

function toolNamed(tools: readonly MemoryTool[], name: unknown): MemoryTool {
  const known = `There are: ${tools.map(offeredName).join(', ')}.`;
  if (typeof name !== 'string') throw new LaminaError('VALIDATION_FAILED', `The call names no tool. ${known}`);
  const found = tools.find((tool) => {
    const offered = offeredName(tool);
    return name === offered || name === tool.name || name.replace('.', '_') === offered;
  });
  if (found !== undefined) return found;
  throw new LaminaError('NOT_FOUND', `There is no tool "${name}". ${known}`);
}

/** Some models send nothing at all if there are no arguments. */
function parsed(given: unknown): unknown {
  if (given === undefined || given === null) return {};
  if (typeof given !== 'string') return given;
  if (given.trim() === '') return {};
  try {
    return JSON.parse(given) as unknown;
  } catch (cause) {
    const message = 'The arguments are not JSON. Write one JSON object with the parameters.';
    throw new LaminaError('VALIDATION_FAILED', message, { cause });
  }
}
