/** The memories on the hosted mem0 platform: its public API. */

import { LaminaError } from '../domain/error.ts';
import type { MemoryEntry, MemoryMetadata } from '../domain/provider.ts';
import type { Scope } from '../domain/scope.ts';
import type { ForeignMemories, Scored } from './foreign-provider.ts';
import { layerFieldsOf } from './layer-fields.ts';
import { entityOf, mem0AddedId, mem0Draft, mem0ListIn, mem0MemoryIn } from './mem0-memories.ts';
import type { ProviderCall } from './provider-call.ts';

const PAGE_SIZE = 100;
/** More than one wants to walk through for a list. */
const MAX_PAGES = 100;

export class Mem0Platform implements ForeignMemories {
  readonly #call: ProviderCall;

  constructor(call: ProviderCall) {
    this.#call = call;
  }

  async add(content: string, scope: Scope, metadata: MemoryMetadata): Promise<MemoryEntry> {
    // Otherwise it answers before anything is stored, and without an id.
    const draft = { ...mem0Draft(content, scope, metadata), async_mode: false, output_format: 'v1.1' };
    const id = mem0AddedId(await this.#call.send('POST', '/v1/memories/', draft));
    const memory = id === undefined ? null : await this.find(id);
    if (memory === null) throw this.#call.unusable('it does not say what was added');
    return memory;
  }

  async find(id: string): Promise<MemoryEntry | null> {
    const body = await this.#call.send('GET', `/v1/memories/${encodeURIComponent(id)}/`);
    if (body === null) return null;
    const memory = mem0MemoryIn(body);
    if (memory === undefined) throw this.#call.unusable('it is not a memory');
    return memory;
  }

  readonly replace = async (memory: MemoryEntry): Promise<void> => {
    const { id, content, metadata, layer, identifiers } = memory;
    await this.#call.send('PUT', `/v1/memories/${encodeURIComponent(id)}/`, {
      text: content,
      metadata: { ...metadata, ...layerFieldsOf({ layer, identifiers }) },
    });
  };

  async remove(id: string): Promise<boolean> {
    return (await this.#call.send('DELETE', `/v1/memories/${encodeURIComponent(id)}/`)) !== null;
  }

  async search(scope: Scope, query: string, limit: number, threshold = 0): Promise<Scored[]> {
    const body = await this.#call.send('POST', '/v3/memories/search/', {
      query,
      filters: filtersOf(scope),
      top_k: limit,
      threshold,
    });
    const list = mem0ListIn(body);
    if (list === undefined) throw this.#call.unusable('it is not a list of memories');
    return list.found;
  }

  async all(scope: Scope): Promise<MemoryEntry[]> {
    const memories: MemoryEntry[] = [];
    for (let page = 1; page <= MAX_PAGES; page += 1) {
      // The next page is asked for by number: an address in an answer is nothing to send a key to.
      const path = `/v3/memories/?page=${page}&page_size=${PAGE_SIZE}`;
      const list = mem0ListIn(await this.#call.send('POST', path, { filters: filtersOf(scope) }));
      if (list === undefined) throw this.#call.unusable('it is not a list of memories');
      memories.push(...list.found.map(({ memory }) => memory));
      if (!list.hasMore) return memories;
    }
    const limit = MAX_PAGES * PAGE_SIZE;
    throw new LaminaError(
      'LIMIT_EXCEEDED',
      `The scope holds more than ${limit} memories; a list would take too long.`,
      {
        details: { limit },
      },
    );
  }

  async ping(): Promise<void> {
    if ((await this.#call.send('GET', '/v1/ping/')) === null)
      throw this.#call.unusable('there is nothing at its address');
  }

  close(): void {
    this.#call.close();
  }
}

/** Metadata can be filtered by one field a condition. */
function filtersOf(scope: Scope): object {
  const fields = Object.entries(layerFieldsOf(scope)).map(([name, value]) => ({ metadata: { [name]: value } }));
  return { AND: [entityOf(scope), ...fields] };
}
