/** Contract suites for those who build an engine, a client or a server of their own. */

export type { MemorySubject, OpenMemory, SubjectOptions, TestRunner } from './contract-subject.ts';
export { engineContract } from './engine-contract.ts';
export type { EngineSubject, OpenEngine } from './engine-subject.ts';
export { HashEmbedder, type HashEmbedderOptions } from './hash-embedder.ts';
export { ManualClock } from './manual-clock.ts';
export { memoryContract } from './memory-contract.ts';
export { providerContract } from './provider-contract.ts';
export type { OpenProvider, ProviderSubject } from './provider-subject.ts';
export { recordContract } from './record-contract.ts';
export { vectorContract, type OpenVectorIndex, type VectorSubject } from './vector-contract.ts';
