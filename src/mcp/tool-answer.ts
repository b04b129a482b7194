/** What a tool answers over the protocol: its output, or what went wrong and what to do about it. */

import type { CallToolResult } from '@modelcontextprotocol/server';
import { asLaminaError, type LaminaError } from '../domain/error.ts';
import { runTool, type ToolContext } from '../tools/memory-tool.ts';
import type { OfferedTool } from './tool-sets.ts';

/** Where a program finds the error as data; the text beside it is for the model. */
const ERROR_META = 'lamina/error';

/** As structured content, and as text for clients that know only that. */
function toolAnswer(output: object, text: string): CallToolResult {
  return { content: [{ type: 'text', text }], structuredContent: { ...output } };
}

/** A failed tool call is a result, not a protocol error: the model reads it and can correct itself. */
function toolFailure(error: LaminaError): CallToolResult {
  const { code, message, advice } = error;
  const { details, retryable } = error.toJSON();
  return {
    isError: true,
    content: [{ type: 'text', text: `${code}: ${message}\nWhat to do: ${advice}` }],
    _meta: { [ERROR_META]: { code, message, retryable, ...(details && { details }) } },
  };
}

/** Called with failures behind a tool, a resource or a prompt. */
export type ReportFailure = (error: LaminaError) => void;

/** Runs a tool and returns its answer, even if it fails. */
export async function answered(
  { name, tool, text = JSON.stringify }: OfferedTool,
  context: ToolContext,
  input: unknown,
  report: ReportFailure,
): Promise<CallToolResult> {
  try {
    const output = await runTool(tool, context, input);
    return toolAnswer(output, text(output as never));
  } catch (thrown) {
    const error = asLaminaError(thrown, name);
    if (error.status >= 500) report(error);
    return toolFailure(error);
  }
}
