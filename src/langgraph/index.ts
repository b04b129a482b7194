/** `lamina/langgraph`: memory as the long-term store of a LangGraph program. */

export { ERROR_TABLE, LaminaError, type ErrorCode } from '../domain/error.ts';
export type { StoreMemory } from './item-entries.ts';
export type { Indexing } from './item-text.ts';
export { LaminaStore, type LaminaStoreOptions } from './lamina-store.ts';
