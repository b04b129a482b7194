import type { DeleteInput } from '../../src/domain/forget.ts';
/** The smallest core that can stand behind the server: maps, no ranking. For tests of the surfaces only. */

import { createHash, randomUUID } from 'node:crypto';
import type { Core, EntryCore } from '../../src/core/core.ts';
import type { Version, VersionsInput } from '../../src/domain/browse.ts';
import type { Entry } from '../../src/domain/entry.ts';
import { LaminaError } from '../../src/domain/error.ts';
import type { Principal } from '../../src/domain/principal.ts';
import type { AddInput, AddOutput, ArchiveInput } from '../../src/domain/remember.ts';
import { scopeOf } from '../../src/domain/scope.ts';

interface Stored {
  readonly owner: string;
  current: Entry;
  readonly old: Version[];
}

/** Has entries only: what the surfaces do with the other groups is the same, and the contract suites go through it. */
export class InMemoryCore implements EntryCore {
  readonly stored = new Map<string, Stored>();
  /** Every call, so that tests see what arrived. */
  readonly calls: { readonly name: string; readonly principal: Principal; readonly input: unknown }[] = [];

  async add(principal: Principal, input: AddInput): Promise<AddOutput> {
    this.calls.push({ name: 'add', principal, input });
    if (input.content === '') throw new LaminaError('VALIDATION_FAILED', 'The content is empty.');
    const known = input.id === undefined ? undefined : this.#find(principal, input.id);
    if (known) return { memory: known.current, status: 'unchanged', embeddingGenerated: false };
    const memory = entryOf(principal, input);
    this.stored.set(memory.id, { owner: ownerOf(principal), current: memory, old: [] });
    return { memory, status: 'created', embeddingGenerated: true };
  }

  async addMany(principal: Principal, inputs: readonly AddInput[]): Promise<AddOutput[]> {
    return Promise.all(inputs.map((input) => this.add(principal, input)));
  }

  async search(principal: Principal, input: Parameters<Core['search']>[1]): ReturnType<Core['search']> {
    this.calls.push({ name: 'search', principal, input });
    const found = this.#all(principal).filter(({ content }) => content.includes(input.query));
    const signals = { text: 1, vector: 0, recency: 1, importance: 0.5, confidence: 1 };
    return {
      results: found.map((memory) => ({ memory, score: 1, similarity: null, signals, layer: memory.layer })),
      totalCount: found.length,
      searchedLayers: ['user'],
    };
  }

  async list(principal: Principal, input: Parameters<Core['list']>[1]): ReturnType<Core['list']> {
    this.calls.push({ name: 'list', principal, input });
    const memories = this.#all(principal).filter(({ layer }) => layer === input.layer);
    return { memories: memories.slice(0, input.limit ?? 50), nextCursor: null, totalCount: memories.length };
  }

  async get(principal: Principal, input: Parameters<Core['get']>[1]): ReturnType<Core['get']> {
    this.calls.push({ name: 'get', principal, input });
    return this.#find(principal, input.id)?.current ?? null;
  }

  async update(principal: Principal, input: Parameters<Core['update']>[1]): ReturnType<Core['update']> {
    const found = this.#find(principal, input.id);
    if (!found) throw new LaminaError('MEMORY_NOT_FOUND', 'There is no such memory.');
    const { version } = found.current;
    if (input.expectedVersion !== undefined && input.expectedVersion !== version) {
      throw new LaminaError('VERSION_CONFLICT', 'It has changed.', { details: { version } });
    }
    found.old.unshift({ memory: found.current, replacedAt: new Date().toISOString() });
    const { expectedVersion: _, ...fields } = input;
    const memory = { ...found.current, ...fields, version: version + 1, previousVersion: version };
    found.current = memory as Entry;
    return { memory: found.current, embeddingRegenerated: input.content !== undefined };
  }

  async archive(principal: Principal, { id }: ArchiveInput): Promise<Entry> {
    return this.#setStatus(principal, id, 'archived');
  }

  async restore(principal: Principal, { id }: ArchiveInput): Promise<Entry> {
    return this.#setStatus(principal, id, 'active');
  }

  async promote(): Promise<never> {
    throw new LaminaError('UNAVAILABLE', 'There is only one layer here.');
  }

  async delete(principal: Principal, { id }: DeleteInput): Promise<boolean> {
    return this.#find(principal, id) ? this.stored.delete(id) : false;
  }

  async forget(principal: Principal, input: Parameters<Core['forget']>[1]): Promise<number> {
    const doomed = this.#all(principal).filter(({ id }) => input.ids?.includes(id));
    for (const { id } of doomed) this.stored.delete(id);
    return doomed.length;
  }

  async versions(principal: Principal, { id }: VersionsInput): Promise<Version[]> {
    const found = this.#find(principal, id);
    if (!found) throw new LaminaError('MEMORY_NOT_FOUND', 'There is no such memory.');
    return [{ memory: found.current, replacedAt: null }, ...found.old];
  }

  #all(principal: Principal): Entry[] {
    return [...this.stored.values()].filter(({ owner }) => owner === ownerOf(principal)).map(({ current }) => current);
  }

  #setStatus(principal: Principal, id: string, status: Entry['status']): Entry {
    const found = this.#find(principal, id);
    if (!found) throw new LaminaError('MEMORY_NOT_FOUND', 'There is no such memory.');
    found.current = { ...found.current, status };
    return found.current;
  }

  #find(principal: Principal, id: string): Stored | undefined {
    const found = this.stored.get(id);
    return found?.owner === ownerOf(principal) ? found : undefined;
  }
}

/** As the operations want it. */
export function coreOf(entries: EntryCore): Core {
  return entries as Core;
}

function ownerOf({ tenantId, userId }: Principal): string {
  return JSON.stringify([tenantId, userId]);
}

function entryOf(principal: Principal, input: AddInput): Entry {
  const { userId, agentId } = principal;
  const own = { userId, ...(agentId !== undefined && { agentId }) };
  const { layer, identifiers } = scopeOf(input.layer, input.identifiers ?? own);
  const now = new Date().toISOString();
  return {
    importance: 0.5,
    confidence: 1,
    relevance: 1,
    decayFactor: 1,
    sensitivity: 'internal',
    visibility: 'private',
    kind: 'semantic',
    metadata: {},
    tags: [],
    ...input,
    id: input.id ?? randomUUID(),
    layer,
    identifiers,
    ownerId: userId,
    contentHash: createHash('sha256').update(input.content).digest('hex'),
    status: 'active',
    version: 1,
    previousVersion: null,
    accessCount: 0,
    createdAt: now,
    updatedAt: now,
  } as Entry;
}
