/** The tools as OpenAI's APIs, and the many that follow them, take functions. */

import { MEMORY_TOOLS, offeredName } from './memory-tools.ts';
import type { MemoryTool } from './memory-tool.ts';
import { modelSchema, type JsonSchema } from './strict-schema.ts';

export interface FunctionDefinition {
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonSchema;
  readonly strict: boolean;
}

/** As `chat.completions` takes a tool. */
export interface ChatTool {
  readonly type: 'function';
  readonly function: FunctionDefinition;
}

/** As `responses` takes one. */
export interface ResponsesTool extends FunctionDefinition {
  readonly type: 'function';
}

/** For `tools` of a chat completion. Answer the model's calls with `callTool`. Never fails. */
export function openAiTools(tools: readonly MemoryTool[] = MEMORY_TOOLS): ChatTool[] {
  return tools.map((tool) => ({ type: 'function', function: definitionOf(tool) }));
}

/** The same for `tools` of the Responses API. */
export function openAiResponsesTools(tools: readonly MemoryTool[] = MEMORY_TOOLS): ResponsesTool[] {
  return tools.map((tool) => ({ type: 'function', ...definitionOf(tool) }));
}

function definitionOf(tool: MemoryTool): FunctionDefinition {
  const { schema, isStrict } = modelSchema(tool.input);
  return { name: offeredName(tool), description: tool.description, parameters: schema, strict: isStrict };
}
