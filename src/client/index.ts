/** `lamina/client`: Lamina over HTTP, for Node and browsers. */

export { LaminaClient, type LaminaClientOptions } from './lamina-client.ts';
export { ERROR_TABLE, LaminaError, type ErrorCode } from '../domain/error.ts';
export type { Event as MemoryEvent } from '../domain/event.ts';
export type { Principal, PrincipalInput } from '../domain/principal.ts';
export type { RetryPolicy } from '../domain/retry.ts';
export type { Memory } from '../operations/memory.ts';
export type { OperationInput, OperationName, OperationOutput } from '../operations/table.ts';
export type { HealthReport } from '../domain/health.ts';
export { AgentMemory, type AgentMemoryOptions } from '../workflow/agent-memory.ts';
export {
  TaskContext,
  type Delegation,
  type Publish,
  type SubTask,
  type TaskMemory,
  type TaskResponse,
} from '../workflow/task-context.ts';
export { WorkflowState } from '../workflow/workflow-state.ts';
