/** `lamina/tools`: memory as tools for agents, whichever framework or model they run on. */

export { callTool, type CallToolOptions, type ToolFailure } from './call-tool.ts';
export { GRAPH_TOOLS, type GraphTool } from './graph-tools.ts';
export { runTool, type MemoryTool, type ToolContext } from './memory-tool.ts';
export { MEMORY_TOOLS, offeredName } from './memory-tools.ts';
export {
  openAiResponsesTools,
  openAiTools,
  type ChatTool,
  type FunctionDefinition,
  type ResponsesTool,
} from './openai-tools.ts';
export type { JsonSchema } from './strict-schema.ts';
