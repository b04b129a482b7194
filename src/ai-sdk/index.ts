/** `lamina/ai-sdk`: memory for the AI SDK, as tools and as middleware. */

export { memoryMiddleware } from './memory-middleware.ts';
export { memoryTools, type MemoryToolsOptions } from './memory-tools.ts';
export type { MemoryMiddlewareOptions, RecallOptions, Stage } from './middleware-options.ts';
export type { MemoryHost, TurnRequest } from './turn-request.ts';
