/** Lamina, the library. */

export { openAiEmbedder, type OpenAiEmbedderOptions } from './compose/embedders.ts';
export { openAiLanguageModel, type OpenAiLanguageModelOptions } from './compose/language-models.ts';
export { Lamina } from './compose/lamina.ts';
export type { LaminaOptions } from './compose/lamina-options.ts';
export { fileMasterKey } from './compose/sealing.ts';
export { httpReranker, localReranker, type HttpRerankerOptions } from './compose/rerankers.ts';
export type { Entry, KnowledgePointer, Metadata, Source } from './domain/entry.ts';
export { ERROR_TABLE, LaminaError, type ErrorCode } from './domain/error.ts';
export type { Event as MemoryEvent } from './domain/event.ts';
export type { MetadataFilter } from './domain/filter.ts';
export type { HealthReport } from './domain/health.ts';
export type { Kind, Sensitivity } from './domain/kind.ts';
export type { LifecycleOptions } from './domain/lifecycle-policy.ts';
export type { Limits } from './domain/limits.ts';
export type { PrincipalInput as Principal } from './domain/principal.ts';
export type { SearchResult, Signals } from './domain/recall.ts';
export type { RerankPolicy } from './domain/reranking.ts';
export type { Identifiers, Layer } from './domain/scope.ts';
export type { Memory } from './operations/memory.ts';
export type { Embedder, EmbedderSettings, EmbeddingSpace } from './ports/embedder.ts';
export type { Completion, CompletionRoom, LanguageModel } from './ports/language-model.ts';
export type { MasterKey, WrapContext } from './ports/master-key.ts';
export type { Reranker } from './ports/reranker.ts';
export { AgentMemory, type AgentMemoryOptions } from './workflow/agent-memory.ts';
export {
  TaskContext,
  type Delegation,
  type Publish,
  type SubTask,
  type TaskMemory,
  type TaskResponse,
} from './workflow/task-context.ts';
export { WorkflowState } from './workflow/workflow-state.ts';
