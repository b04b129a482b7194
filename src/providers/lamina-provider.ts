/** Lamina as a provider: every engine behind it, embedded or remote, through the interface of the specification. */

import { entryId, type Entry, type EntryFields } from '../domain/entry.ts';
import { LaminaError } from '../domain/error.ts';
import type { HealthReport } from '../domain/health.ts';
import type { PrincipalInput } from '../domain/principal.ts';
import {
  addMemoryInputSchema,
  listMemoriesInputSchema,
  memoryIdInputSchema,
  searchMemoryInputSchema,
  updateMemoryInputSchema,
  type AddMemoryInput,
  type AddMemoryOutput,
  type BulkDeleteOutput,
  type DeclaringProvider,
  type DeleteMemoryOutput,
  type GetMemoryOutput,
  type HealthCheckResult,
  type ListMemoriesOutput,
  type MemoryEntry,
  type MemoryMetadata,
  type ProviderCapability,
  type SearchMemoryOutput,
  type UpdateMemoryOutput,
} from '../domain/provider.ts';
import type { Memory } from '../operations/memory.ts';
import type { OperationInput } from '../operations/table.ts';
import { validate } from '../operations/validate.ts';
import type { Embedder } from '../ports/embedder.ts';
import { unsupported } from './unsupported.ts';

/** A `Lamina`, a `LaminaClient`, or what does the same. */
export interface OpenLamina {
  as(principal: PrincipalInput): Memory;
  health(): Promise<HealthReport>;
}

export interface LaminaProviderOptions {
  /** The one that Lamina was opened with. Without it `generateEmbedding` is refused: Lamina keeps its vectors to itself. */
  readonly embedder?: Pick<Embedder, 'embed'>;
}

/** A provider on this Lamina for this principal. It does not close what it was given. */
export function laminaProvider(
  lamina: OpenLamina,
  principal: PrincipalInput,
  options: LaminaProviderOptions = {},
): DeclaringProvider {
  return new LaminaProvider(lamina, principal, options);
}

class LaminaProvider implements DeclaringProvider {
  readonly name = 'lamina';
  readonly version = '1';
  readonly absent: readonly ProviderCapability[];
  readonly #lamina: OpenLamina;
  readonly #memory: Memory;
  readonly #embedder: LaminaProviderOptions['embedder'];

  constructor(lamina: OpenLamina, principal: PrincipalInput, { embedder }: LaminaProviderOptions) {
    this.#lamina = lamina;
    this.#memory = lamina.as(principal);
    this.#embedder = embedder;
    this.absent = embedder === undefined ? ['embedding'] : [];
  }

  /** Nothing to set up: whoever gave the Lamina has opened it. */
  async initialize(): Promise<void> {}

  /** Nothing to let go of: whoever gave the Lamina closes it. */
  async shutdown(): Promise<void> {}

  async healthCheck(): Promise<HealthCheckResult> {
    try {
      return await this.#lamina.health();
    } catch (thrown) {
      const message = thrown instanceof Error ? thrown.message : String(thrown);
      return { status: 'unhealthy', latencyMs: 0, components: { service: { status: 'unhealthy', message } } };
    }
  }

  async add(input: AddMemoryInput): Promise<AddMemoryOutput> {
    return added(await this.#memory.add(entryInput(input)));
  }

  async bulkAdd(inputs: AddMemoryInput[]): Promise<AddMemoryOutput[]> {
    if (inputs.length === 0) return [];
    return (await this.#memory.addMany(inputs.map(entryInput))).map(added);
  }

  async search(input: Parameters<DeclaringProvider['search']>[0]): Promise<SearchMemoryOutput> {
    const { results, totalCount, searchedLayers } = await this.#memory.search(validate(searchMemoryInputSchema, input));
    return {
      results: results.map(({ memory, score, layer }) => ({ memory: memoryOf(memory), score, layer })),
      totalCount,
      searchedLayers,
    };
  }

  async get(input: { readonly id: string }): Promise<GetMemoryOutput> {
    const { id } = validate(memoryIdInputSchema, input);
    const { memory } = isEntryId(id) ? await this.#memory.get({ id }) : { memory: null };
    return { memory: memory && memoryOf(memory) };
  }

  async update(input: Parameters<DeclaringProvider['update']>[0]): Promise<UpdateMemoryOutput> {
    const { id, content, metadata } = validate(updateMemoryInputSchema, input);
    if (!isEntryId(id)) {
      throw new LaminaError('MEMORY_NOT_FOUND', 'There is no memory with this id.', { details: { id } });
    }
    const { memory, embeddingRegenerated } = await this.#memory.update({
      id,
      ...(content !== undefined && { content }),
      ...fieldsOf(metadata),
    });
    return { memory: memoryOf(memory), embeddingRegenerated };
  }

  async delete(input: { readonly id: string }): Promise<DeleteMemoryOutput> {
    const { id } = validate(memoryIdInputSchema, input);
    return isEntryId(id) ? this.#memory.delete({ id }) : { success: false };
  }

  async bulkDelete(ids: string[]): Promise<BulkDeleteOutput> {
    const failed: string[] = [];
    for (const id of ids) if (!(await this.delete({ id })).success) failed.push(id);
    return { deleted: ids.length - failed.length, failed };
  }

  async list(input: Parameters<DeclaringProvider['list']>[0]): Promise<ListMemoriesOutput> {
    const { memories, nextCursor, totalCount } = await this.#memory.list(validate(listMemoriesInputSchema, input));
    return { memories: memories.map(memoryOf), nextCursor, totalCount };
  }

  async generateEmbedding(content: string): Promise<number[]> {
    if (this.#embedder === undefined) {
      throw unsupported('embedding', 'This provider has no embedder; give laminaProvider the one that Lamina uses.');
    }
    const [vector] = await this.#embedder.embed([content]);
    if (vector === undefined) throw new LaminaError('EMBEDDING_FAILED', 'The embedder returned no vector.');
    return [...vector];
  }
}

/** Ids of other providers are any text; here those that are no UUID belong to nothing. */
function isEntryId(id: string): boolean {
  return entryId.safeParse(id).success;
}

function entryInput(input: AddMemoryInput): OperationInput<'add'> {
  const { metadata, ...rest } = validate(addMemoryInputSchema, input);
  return { ...rest, ...fieldsOf(metadata) };
}

/** The metadata of the specification that are fields of their own here, and the rest. */
function fieldsOf(metadata: MemoryMetadata | undefined): EntryFields {
  if (metadata === undefined) return {};
  const { tags, source, knowledgePointer, relevance, decayFactor, ...rest } = metadata;
  return {
    metadata: rest,
    ...(tags && { tags }),
    ...(source && { source }),
    ...(knowledgePointer && { knowledgePointer }),
    ...(relevance !== undefined && { relevance }),
    ...(decayFactor !== undefined && { decayFactor }),
  };
}

function added({ memory, embeddingGenerated }: { memory: Entry; embeddingGenerated: boolean }): AddMemoryOutput {
  return { memory: memoryOf(memory), embeddingGenerated };
}

/** What every entry has by default says nothing about this one, and is left out. */
function memoryOf(entry: Entry): MemoryEntry {
  const { id, content, layer, identifiers, createdAt, updatedAt, embedding } = entry;
  const { tags, source, knowledgePointer, relevance, decayFactor } = entry;
  const { contextId: _, ...named } = identifiers;
  const metadata: MemoryMetadata = {
    ...entry.metadata,
    ...(tags.length > 0 && { tags }),
    ...(source && { source }),
    ...(knowledgePointer && { knowledgePointer }),
    ...(relevance !== 1 && { relevance }),
    ...(decayFactor !== 1 && { decayFactor }),
  };
  return { id, content, layer, identifiers: named, metadata, createdAt, updatedAt, ...(embedding && { embedding }) };
}
