/** `lamina/providers`: the provider interface of the specification, and adapters for it. */

export type { CircuitPolicy } from '../domain/circuit-breaker.ts';
export { ERROR_TABLE, LaminaError, type ErrorCode } from '../domain/error.ts';
export type {
  AddMemoryInput,
  AddMemoryOutput,
  BulkDeleteOutput,
  DeclaringProvider,
  DeleteMemoryInput,
  DeleteMemoryOutput,
  GetMemoryInput,
  GetMemoryOutput,
  HealthCheckResult,
  ListMemoriesInput,
  ListMemoriesOutput,
  MemoryEntry,
  MemoryMetadata,
  MemoryProviderAdapter,
  MemorySearchResult,
  ProviderCapability,
  ProviderConfig,
  SearchMemoryInput,
  SearchMemoryOutput,
  UpdateMemoryInput,
  UpdateMemoryOutput,
} from '../domain/provider.ts';
export { DEFAULT_RETRY_POLICY, type RetryPolicy } from '../domain/retry.ts';
export { guardedProvider, type GuardOptions } from './guarded-provider.ts';
export { laminaProvider, type LaminaProviderOptions, type OpenLamina } from './lamina-provider.ts';
export { lettaProvider } from './letta-provider.ts';
export { mem0Provider } from './mem0-provider.ts';
export type { ForeignProviderOptions } from './provider-config.ts';
