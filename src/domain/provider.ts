/** Provider adapters: what any backend must do to keep memories in the seven layers. */

import { z } from 'zod';
import { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE } from './browse.ts';
import { identifiersSchema, knowledgePointerSchema, layerSchema, sourceSchema } from './entry.ts';
import { metadataFilterSchema } from './filter.ts';
import { hasText } from './has-text.ts';
import type { ComponentHealth } from './health.ts';
import type { Layer } from './scope.ts';

const unit = z.number().min(0).max(1);

/** What is attached to a memory: fields that mean something, and any others. */
export const memoryMetadataSchema = z.looseObject({
  tags: z.array(z.string().min(1).max(100)).max(100).optional(),
  source: sourceSchema.optional(),
  knowledgePointer: knowledgePointerSchema.optional(),
  relevance: unit.optional(),
  decayFactor: unit.optional(),
});

export type MemoryMetadata = z.output<typeof memoryMetadataSchema>;

/** A memory as every provider gives it; Lamina's own entries have more fields. */
export const memoryEntrySchema = z.strictObject({
  id: z.string().min(1),
  content: z.string(),
  layer: layerSchema,
  identifiers: identifiersSchema,
  metadata: memoryMetadataSchema,
  createdAt: z.iso.datetime({ offset: true }),
  updatedAt: z.iso.datetime({ offset: true }),
  embedding: z.array(z.number()).optional(),
});

export type MemoryEntry = z.output<typeof memoryEntrySchema>;

const content = z.string().refine(hasText, 'empty');
const id = z.string().min(1).max(255);

export const addMemoryInputSchema = z.strictObject({
  content,
  layer: layerSchema,
  identifiers: identifiersSchema,
  metadata: memoryMetadataSchema.optional(),
});

export type AddMemoryInput = z.output<typeof addMemoryInputSchema>;

export interface AddMemoryOutput {
  readonly memory: MemoryEntry;
  readonly embeddingGenerated: boolean;
}

export const searchMemoryInputSchema = z.strictObject({
  query: z.string().trim().min(1),
  layers: z.array(layerSchema).min(1).optional(),
  identifiers: identifiersSchema,
  limit: z.int().min(1).max(100).optional(),
  threshold: unit.optional(),
  filter: metadataFilterSchema.optional(),
});

export type SearchMemoryInput = z.output<typeof searchMemoryInputSchema>;

export interface MemorySearchResult {
  readonly memory: MemoryEntry;
  /** 0 to 1. */
  readonly score: number;
  readonly layer: Layer;
}

export interface SearchMemoryOutput {
  /** Most specific layer first, then by score. */
  readonly results: MemorySearchResult[];
  /** How many there were before the limit. */
  readonly totalCount: number;
  readonly searchedLayers: Layer[];
}

export const memoryIdInputSchema = z.strictObject({ id });

export type GetMemoryInput = z.output<typeof memoryIdInputSchema>;
export type DeleteMemoryInput = GetMemoryInput;

export interface GetMemoryOutput {
  /** Null if there is none. */
  readonly memory: MemoryEntry | null;
}

export const updateMemoryInputSchema = z.strictObject({
  id,
  content: content.optional(),
  metadata: memoryMetadataSchema.optional(),
});

export type UpdateMemoryInput = z.output<typeof updateMemoryInputSchema>;

export interface UpdateMemoryOutput {
  readonly memory: MemoryEntry;
  readonly embeddingRegenerated: boolean;
}

export interface DeleteMemoryOutput {
  /** False if there was nothing to delete. */
  readonly success: boolean;
}

export const listMemoriesInputSchema = z.strictObject({
  layer: layerSchema,
  identifiers: identifiersSchema,
  cursor: z.string().min(1).max(1024).optional(),
  limit: z.int().min(1).max(MAX_PAGE_SIZE).optional().describe(`Default ${DEFAULT_PAGE_SIZE}.`),
  filter: metadataFilterSchema.optional(),
});

export type ListMemoriesInput = z.output<typeof listMemoriesInputSchema>;

export interface ListMemoriesOutput {
  /** Newest first. */
  readonly memories: MemoryEntry[];
  /** Null on the last page. */
  readonly nextCursor: string | null;
  /** Of the whole list, not of the page. */
  readonly totalCount: number;
}

/** Provider-specific settings. */
export interface ProviderConfig {
  readonly [key: string]: unknown;
}

export interface HealthCheckResult {
  readonly status: ComponentHealth['status'];
  readonly latencyMs: number;
  readonly components?: Readonly<Record<string, ComponentHealth>>;
}

export interface BulkDeleteOutput {
  readonly deleted: number;
  /** The ids of those that were not deleted. */
  readonly failed: string[];
}

/**
 * The interface of the specification, to the field and method. Absence is null or false; everything else that goes wrong
 * is thrown as a `LaminaError`. No memory of one scope shows up in another.
 */
export interface MemoryProviderAdapter {
  readonly name: string;
  readonly version: string;
  /** Throws `CONFIGURATION_ERROR` for what can never work. */
  initialize(config: ProviderConfig): Promise<void>;
  shutdown(): Promise<void>;
  /** Never throws: a provider that cannot be reached is unhealthy. */
  healthCheck(): Promise<HealthCheckResult>;
  add(input: AddMemoryInput): Promise<AddMemoryOutput>;
  search(input: SearchMemoryInput): Promise<SearchMemoryOutput>;
  get(input: GetMemoryInput): Promise<GetMemoryOutput>;
  /** Metadata is merged key by key. Throws `MEMORY_NOT_FOUND`. */
  update(input: UpdateMemoryInput): Promise<UpdateMemoryOutput>;
  delete(input: DeleteMemoryInput): Promise<DeleteMemoryOutput>;
  list(input: ListMemoriesInput): Promise<ListMemoriesOutput>;
  generateEmbedding(content: string): Promise<number[]>;
  bulkAdd?(inputs: AddMemoryInput[]): Promise<AddMemoryOutput[]>;
  bulkDelete?(ids: string[]): Promise<BulkDeleteOutput>;
}

/** Capabilities that not every provider has. */
export const PROVIDER_CAPABILITIES = ['embedding', 'update', 'metadata', 'threshold'] as const;

/** embedding: `generateEmbedding`. update: `update`. metadata: other fields than tags. threshold: a minimum score. */
export type ProviderCapability = (typeof PROVIDER_CAPABILITIES)[number];

/** An adapter that declares what it cannot do. It refuses that with a clear error and never ignores it. */
export interface DeclaringProvider extends MemoryProviderAdapter {
  readonly absent: readonly ProviderCapability[];
}
