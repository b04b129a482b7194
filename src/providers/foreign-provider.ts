/** What every adapter for somebody else's server has in common: layers, merging, filters, pages, refusals. */

import { DEFAULT_PAGE_SIZE } from '../domain/browse.ts';
import { asLaminaError, LaminaError } from '../domain/error.ts';
import { DEFAULT_LIMITS, assertCharacters } from '../domain/limits.ts';
import {
  addMemoryInputSchema,
  listMemoriesInputSchema,
  memoryIdInputSchema,
  searchMemoryInputSchema,
  updateMemoryInputSchema,
  type AddMemoryInput,
  type AddMemoryOutput,
  type DeclaringProvider,
  type DeleteMemoryOutput,
  type GetMemoryOutput,
  type HealthCheckResult,
  type ListMemoriesInput,
  type ListMemoriesOutput,
  type MemoryEntry,
  type MemoryMetadata,
  type ProviderCapability,
  type ProviderConfig,
  type SearchMemoryInput,
  type SearchMemoryOutput,
  type UpdateMemoryInput,
  type UpdateMemoryOutput,
} from '../domain/provider.ts';
import { DEFAULT_SEARCH_LIMIT } from '../domain/recall.ts';
import { accessibleLayers, scopeKey, scopeOf, type Scope } from '../domain/scope.ts';
import { validate } from '../operations/validate.ts';
import { assertFreeNames } from './layer-fields.ts';
import { mergeLayers } from './merge-layers.ts';
import { pageOf } from './memory-page.ts';
import { passesFilter } from './metadata-filter.ts';
import { unsupported } from './unsupported.ts';

export interface Scored {
  readonly memory: MemoryEntry;
  readonly score: number;
}

/** The memories on a server, as far as its API goes. What it answers is checked; absence is null or false. */
export interface ForeignMemories {
  add(content: string, scope: Scope, metadata: MemoryMetadata): Promise<MemoryEntry>;
  /** Null also for what was not written through Lamina's layers. */
  find(id: string): Promise<MemoryEntry | null>;
  /** Undefined where the server has no such thing. */
  readonly replace?: (memory: MemoryEntry) => Promise<void>;
  remove(id: string): Promise<boolean>;
  search(scope: Scope, query: string, limit: number, threshold: number | undefined): Promise<Scored[]>;
  /** All of a scope. Throws `LIMIT_EXCEEDED` where the server does not give all. */
  all(scope: Scope): Promise<MemoryEntry[]>;
  ping(): Promise<void>;
  close(): void;
}

export interface ForeignKind {
  readonly name: string;
  /** Of the API that is spoken. */
  readonly version: string;
  readonly absent: readonly ProviderCapability[];
  /** Names in metadata that the server uses itself. */
  readonly takenNames: ReadonlySet<string>;
  /** Least score where none is asked for; undefined where scores cannot be compared with anything. */
  readonly defaultThreshold: number | undefined;
  /** Throws `CONFIGURATION_ERROR`. */
  connect(config: ProviderConfig): ForeignMemories;
}

/** Filters and duplicates are seen to here and not there, so that more is fetched of a layer than is asked for. */
const CANDIDATES_PER_LAYER = 100;

export class ForeignProvider implements DeclaringProvider {
  readonly name: string;
  readonly version: string;
  readonly absent: readonly ProviderCapability[];
  readonly #kind: ForeignKind;
  #memories: ForeignMemories | undefined;

  constructor(kind: ForeignKind) {
    this.#kind = kind;
    ({ name: this.name, version: this.version, absent: this.absent } = kind);
  }

  async initialize(config: ProviderConfig): Promise<void> {
    this.#memories?.close();
    this.#memories = this.#kind.connect(config);
  }

  async shutdown(): Promise<void> {
    this.#memories?.close();
    this.#memories = undefined;
  }

  async healthCheck(): Promise<HealthCheckResult> {
    const started = performance.now();
    const server = await this.#server();
    return { status: server.status, latencyMs: performance.now() - started, components: { server } };
  }

  async add(input: AddMemoryInput): Promise<AddMemoryOutput> {
    const { content, layer, identifiers, metadata = {} } = validate(addMemoryInputSchema, input);
    const scope = scopeOf(layer, identifiers);
    assertCharacters('CONTENT_TOO_LONG', 'The content', content, DEFAULT_LIMITS.contentLength);
    this.#assertMetadata(metadata);
    return { memory: await this.#open().add(content, scope, metadata), embeddingGenerated: true };
  }

  async search(input: SearchMemoryInput): Promise<SearchMemoryOutput> {
    const {
      query,
      layers,
      identifiers,
      filter,
      threshold,
      limit = DEFAULT_SEARCH_LIMIT,
    } = validate(searchMemoryInputSchema, input);
    assertCharacters('QUERY_TOO_LONG', 'The query', query, DEFAULT_LIMITS.queryLength);
    if (threshold !== undefined && this.absent.includes('threshold')) {
      throw unsupported('threshold', `The scores of ${this.name} cannot be compared with a threshold; leave it out.`);
    }
    const searched = layers === undefined ? accessibleLayers(identifiers) : [...new Set(layers)];
    const scopes = searched.map((layer) => scopeOf(layer, identifiers));
    const memories = this.#open();
    const least = threshold ?? this.#kind.defaultThreshold;
    const found = await Promise.all(
      scopes.map(async (scope) => {
        const hits = await memories.search(scope, query, CANDIDATES_PER_LAYER, least);
        return hits.filter(({ memory, score }) => isIn(memory, scope) && score >= (least ?? 0));
      }),
    );
    const passed = found.flat().filter(({ memory }) => passesFilter(memory.metadata, filter));
    return {
      ...mergeLayers(passed, limit),
      searchedLayers: accessibleLayers(identifiers).filter((layer) => searched.includes(layer)),
    };
  }

  async get(input: { readonly id: string }): Promise<GetMemoryOutput> {
    const { id } = validate(memoryIdInputSchema, input);
    return { memory: await this.#open().find(id) };
  }

  async update(input: UpdateMemoryInput): Promise<UpdateMemoryOutput> {
    const { id, content, metadata = {} } = validate(updateMemoryInputSchema, input);
    const memories = this.#open();
    if (memories.replace === undefined) {
      throw unsupported('update', `${this.name} cannot change a memory; add a new one and delete the old one.`);
    }
    if (content !== undefined)
      assertCharacters('CONTENT_TOO_LONG', 'The content', content, DEFAULT_LIMITS.contentLength);
    this.#assertMetadata(metadata);
    const old = existing(await memories.find(id), id);
    const changed = { ...old, content: content ?? old.content, metadata: { ...old.metadata, ...metadata } };
    await memories.replace(changed);
    const memory = existing(await memories.find(id), id);
    return { memory, embeddingRegenerated: changed.content !== old.content };
  }

  async delete(input: { readonly id: string }): Promise<DeleteMemoryOutput> {
    const { id } = validate(memoryIdInputSchema, input);
    const memories = this.#open();
    // What is not there, or not ours, is not touched: some servers fail at it, others delete it.
    if ((await memories.find(id)) === null) return { success: false };
    return { success: await memories.remove(id) };
  }

  async list(input: ListMemoriesInput): Promise<ListMemoriesOutput> {
    const { layer, identifiers, filter, cursor, limit = DEFAULT_PAGE_SIZE } = validate(listMemoriesInputSchema, input);
    const scope = scopeOf(layer, identifiers);
    const all = await this.#open().all(scope);
    const wanted = all.filter((memory) => isIn(memory, scope) && passesFilter(memory.metadata, filter));
    return pageOf(wanted, { scope: scopeKey(scope), filter: filter ?? null }, cursor, limit);
  }

  async generateEmbedding(): Promise<number[]> {
    throw unsupported('embedding', `${this.name} gives no vectors away; embed with an embedder of your own.`);
  }

  #assertMetadata(metadata: MemoryMetadata): void {
    assertFreeNames(metadata, this.#kind.takenNames);
    if (!this.absent.includes('metadata')) return;
    const other = Object.keys(metadata).find((name) => name !== 'tags');
    if (other === undefined) return;
    throw unsupported('metadata', `${this.name} keeps tags with a memory and no other metadata: leave "${other}" out.`);
  }

  #open(): ForeignMemories {
    if (this.#memories) return this.#memories;
    throw new LaminaError('CONFIGURATION_ERROR', `The provider ${this.name} is not initialized, or is shut down.`);
  }

  async #server(): Promise<NonNullable<HealthCheckResult['components']>[string]> {
    try {
      await this.#open().ping();
      return { status: 'healthy' };
    } catch (thrown) {
      return { status: 'unhealthy', message: asLaminaError(thrown).message };
    }
  }
}

/** Asked of the server already; trusted only when the memory itself says so. */
function isIn(memory: MemoryEntry, scope: Scope): boolean {
  return scopeKey({ layer: memory.layer, identifiers: memory.identifiers }) === scopeKey(scope);
}

function existing(memory: MemoryEntry | null, id: string): MemoryEntry {
  if (memory) return memory;
  throw new LaminaError('MEMORY_NOT_FOUND', 'There is no memory with this id.', { details: { id } });
}
