/** Lamina, the library. */

export { openAiEmbedder, type OpenAiEmbedderOptions } from './compose/embedders.ts';
export { openAiLanguageModel, type OpenAiLanguageModelOptions } from './compose/language-models.ts';
export { Lamina } from './compose/lamina.ts';
export type { LaminaOptions } from './compose/lamina-options.ts';
export type { QdrantOptions } from './compose/qdrant-options.ts';
export type { RedisFallback } from './compose/redis-options.ts';
export { fileMasterKey } from './compose/sealing.ts';
export { httpReranker, localReranker, type HttpRerankerOptions } from './compose/rerankers.ts';
export type { Entry, KnowledgePointer, Metadata, Source } from './domain/entry.ts';
export { ERROR_TABLE, LaminaError, type ErrorCode } from './domain/error.ts';
export type { Event as MemoryEvent } from './domain/event.ts';
export type { MetadataFilter } from './domain/filter.ts';
export type { HealthReport } from './domain/health.ts';
export type { Json, JsonObject } from './domain/json.ts';
export type { Kind, Sensitivity, Trust } from './domain/kind.ts';
export type { LifecycleOptions } from './domain/lifecycle-policy.ts';
export type { Limits } from './domain/limits.ts';
export type { PrincipalInput, PrincipalInput as Principal } from './domain/principal.ts';
export type { Quarantine } from './domain/quarantine.ts';
export type { Ranking } from './domain/ranking.ts';
export type { SearchResult, Signals } from './domain/recall.ts';
export type { RerankPolicy } from './domain/reranking.ts';
export type { RetryPolicy } from './domain/retry.ts';
export type { Identifiers, Layer } from './domain/scope.ts';
export type { SaveTaskInput } from './domain/task-context.ts';
export type { TurnPolicy } from './domain/turn.ts';
export type { Memory } from './operations/memory.ts';
export type { OperationInput, OperationName, OperationOutput } from './operations/table.ts';
export type { Clock, Ids } from './ports/clock.ts';
export type { Embedder, EmbedderSettings, EmbeddingSpace } from './ports/embedder.ts';
export type { Engine } from './ports/engine.ts';
export type { Completion, CompletionRoom, LanguageModel } from './ports/language-model.ts';
export type { MasterKey, WrapContext } from './ports/master-key.ts';
export type { Reranker } from './ports/reranker.ts';
export type { Telemetry, Tracing } from './ports/telemetry.ts';
export {
  AgentMemory,
  type AgentMemoryOptions,
  type ShareOptions,
  type ShareSource,
  type ShareTarget,
  type StoreOptions,
} from './workflow/agent-memory.ts';
export {
  TaskContext,
  type Delegation,
  type Publish,
  type SubTask,
  type TaskMemory,
  type TaskResponse,
} from './workflow/task-context.ts';
export { WorkflowState, type SetOptions } from './workflow/workflow-state.ts';
