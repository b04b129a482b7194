/** `lamina/effect`: the memory of agents as an entity of Effect's cluster, and as a service. */

export { MemoryEntity } from './memory-entity.ts';
export { MemoryError } from './memory-error.ts';
export { MemoryPort, type MemoryHost, type MemoryPortOptions, type MemoryPortService } from './memory-port.ts';
export {
  ForgetResult,
  MemoryItemId,
  MemoryItemRecord,
  MemoryScope,
  MemorySource,
  MemoryTier,
  SensitivityLevel,
  StoreItemInput,
  StoreResult,
  type ForgetFilters,
  type ItemFilters,
} from './memory-schema.ts';
