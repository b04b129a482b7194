/** Tools of the MCP server. */

import type { McpServer } from '@modelcontextprotocol/server';
import type { ToolContext } from '../tools/memory-tool.ts';
import { listedSchema } from './listed-schema.ts';
import { answered, type ReportFailure } from './tool-answer.ts';
import type { ToolSet } from './tool-set-names.ts';
import { offeredTools } from './tool-sets.ts';

export function registerTools(
  server: McpServer,
  context: ToolContext,
  sets: readonly ToolSet[],
  report: ReportFailure,
): void {
  for (const offered of offeredTools(sets)) {
    const { tool } = offered;
    server.registerTool(
      offered.name,
      {
        title: tool.title,
        description: tool.description,
        inputSchema: listedSchema(tool.input),
        outputSchema: listedSchema(tool.output),
        annotations: {
          readOnlyHint: tool.isReadOnly,
          destructiveHint: tool.isDestructive,
          idempotentHint: tool.isIdempotent,
          // Tools only touch memory: none reaches the outside world.
          openWorldHint: false,
        },
      },
      (input) => answered(offered, context, input, report),
    );
  }
}
