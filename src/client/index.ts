/** `lamina/client`: Lamina over HTTP, for Node and browsers. */

export { LaminaClient, type LaminaClientOptions } from './lamina-client.ts';
export type { Fetch } from './exchange.ts';
export type { Entry, KnowledgePointer, Metadata, Source } from '../domain/entry.ts';
export { ERROR_TABLE, LaminaError, type ErrorCode } from '../domain/error.ts';
export type { Event as MemoryEvent } from '../domain/event.ts';
export type { MetadataFilter } from '../domain/filter.ts';
export type { Json, JsonObject } from '../domain/json.ts';
export type { Kind, Sensitivity, Trust } from '../domain/kind.ts';
export type { PrincipalInput, PrincipalInput as Principal } from '../domain/principal.ts';
export type { SearchResult, Signals } from '../domain/recall.ts';
export type { RetryPolicy } from '../domain/retry.ts';
export type { Identifiers, Layer } from '../domain/scope.ts';
export type { SaveTaskInput } from '../domain/task-context.ts';
export type { Memory } from '../operations/memory.ts';
export type { OperationInput, OperationName, OperationOutput } from '../operations/table.ts';
export type { HealthReport } from '../domain/health.ts';
export {
  AgentMemory,
  type AgentMemoryOptions,
  type ShareOptions,
  type ShareSource,
  type ShareTarget,
  type StoreOptions,
} from '../workflow/agent-memory.ts';
export {
  TaskContext,
  type Delegation,
  type Publish,
  type SubTask,
  type TaskMemory,
  type TaskResponse,
} from '../workflow/task-context.ts';
export { WorkflowState, type SetOptions } from '../workflow/workflow-state.ts';
