/** `lamina/tools`: memory as tools for agents, whichever framework or model they run on. */

export { callTool, type CallToolOptions, type ToolFailure } from './call-tool.ts';
export { forgetTool } from './forget-tool.ts';
export { GRAPH_TOOLS, type GraphTool } from './graph-tools.ts';
export { lookUpTool } from './look-up-tool.ts';
export { runTool, type MemoryTool, type ToolContext } from './memory-tool.ts';
export { MEMORY_TOOLS, offeredName } from './memory-tools.ts';
export {
  openAiResponsesTools,
  openAiTools,
  type ChatTool,
  type FunctionDefinition,
  type ResponsesTool,
} from './openai-tools.ts';
export { readTool } from './read-tool.ts';
export { recallTool } from './recall-tool.ts';
export { recentTurnsTool } from './recent-turns-tool.ts';
export { relateTool } from './relate-tool.ts';
export { saveFactTool } from './save-fact-tool.ts';
export { saveProcedureTool } from './save-procedure-tool.ts';
export type { JsonSchema } from './strict-schema.ts';
export { turnContextTool } from './turn-context-tool.ts';
export { updateTool } from './update-tool.ts';
