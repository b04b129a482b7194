/** The memory tools as tools of the AI SDK. */

import { jsonSchema, tool, type ToolSet } from 'ai';
import { z } from 'zod';
import { asLaminaError, LaminaError } from '../domain/error.ts';
import type { Memory } from '../operations/memory.ts';
import { validate } from '../operations/validate.ts';
import { MEMORY_TOOLS, offeredName } from '../tools/memory-tools.ts';
import { runTool, type MemoryTool, type ToolContext } from '../tools/memory-tool.ts';
import { withoutNulls } from '../tools/strict-schema.ts';

export interface MemoryToolsOptions extends Omit<ToolContext, 'memory'> {
  /** Which of the tools to give. Default all. */
  readonly tools?: readonly MemoryTool[];
}

/**
 * Tools for `generateText`, `streamText` and agents, by the names that models are offered: `memory_recall` and so on. They act as the principal of the memory: create them per request if there are several users.
 *
 * A call that fails becomes a tool error, which the model reads and can correct; it never fails the whole generation.
 */
export function memoryTools(memory: Memory, { tools = MEMORY_TOOLS, ...options }: MemoryToolsOptions = {}): ToolSet {
  const context: ToolContext = { memory, ...options };
  return Object.fromEntries(tools.map((each) => [offeredName(each), sdkTool(each, context)]));
}

function sdkTool(definition: MemoryTool, context: ToolContext): ToolSet[string] {
  const { title, description, input, output } = definition;
  const { $schema: _, ...schema } = z.toJSONSchema(input, { io: 'input' });
  return tool({
    title,
    description,
    // Models write null for omitted fields, which the tools' own schemas do not accept.
    inputSchema: jsonSchema<Record<string, unknown>>(schema as Parameters<typeof jsonSchema>[0], {
      validate: (value) => judged(input, value),
    }),
    outputSchema: output,
    execute: (given) => runTool(definition, context, given).catch(advised),
  });
}

/** The AI SDK passes only the message of an error to the model. */
function advised(thrown: unknown): never {
  const error = asLaminaError(thrown);
  const { code, message, advice, details } = error;
  throw new LaminaError(code, `${message} What to do: ${advice}`, { ...(details && { details }), cause: error });
}

type Judgement = { success: true; value: Record<string, unknown> } | { success: false; error: Error };

function judged(input: z.ZodObject, value: unknown): Judgement {
  try {
    return { success: true, value: validate(input, withoutNulls(input, value)) };
  } catch (error) {
    return { success: false, error: error as Error };
  }
}
