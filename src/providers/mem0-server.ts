/** The memories on a self-hosted mem0 server: its open source REST API. */

import { z } from 'zod';
import { LaminaError } from '../domain/error.ts';
import type { MemoryEntry, MemoryMetadata } from '../domain/provider.ts';
import type { Scope } from '../domain/scope.ts';
import type { ForeignMemories, Scored } from './foreign-provider.ts';
import { layerFieldsOf } from './layer-fields.ts';
import { entityOf, mem0AddedId, mem0Draft, mem0ListIn, mem0MemoryIn } from './mem0-memories.ts';
import type { ProviderCall } from './provider-call.ts';

/** The server lists this many at once at most, and has no second page. */
const MAX_LISTED = 1000;

const uuid = z.uuid();

export class Mem0Server implements ForeignMemories {
  readonly #call: ProviderCall;

  constructor(call: ProviderCall) {
    this.#call = call;
  }

  async add(content: string, scope: Scope, metadata: MemoryMetadata): Promise<MemoryEntry> {
    const id = mem0AddedId(await this.#call.send('POST', '/memories', mem0Draft(content, scope, metadata)));
    const memory = id === undefined ? null : await this.find(id);
    if (memory === null) throw this.#call.unusable('it does not say what was added');
    return memory;
  }

  async find(id: string): Promise<MemoryEntry | null> {
    // It fails, and does not say "not found", for ids that are none.
    if (!uuid.safeParse(id).success) return null;
    const body = await this.#call.send('GET', `/memories/${encodeURIComponent(id)}`);
    if (body === null) return null;
    const memory = mem0MemoryIn(body);
    if (memory === undefined) throw this.#call.unusable('it is not a memory');
    return memory;
  }

  readonly replace = async (memory: MemoryEntry): Promise<void> => {
    const { id, content, metadata, layer, identifiers } = memory;
    await this.#call.send('PUT', `/memories/${encodeURIComponent(id)}`, {
      text: content,
      // It takes these instead of the old ones, not in addition.
      metadata: { ...metadata, ...layerFieldsOf({ layer, identifiers }) },
    });
  };

  async remove(id: string): Promise<boolean> {
    return (await this.#call.send('DELETE', `/memories/${encodeURIComponent(id)}`)) !== null;
  }

  async search(scope: Scope, query: string, limit: number, threshold = 0): Promise<Scored[]> {
    const filters = { ...entityOf(scope), ...layerFieldsOf(scope) };
    const body = await this.#call.send('POST', '/search', { query, filters, top_k: limit, threshold });
    const list = mem0ListIn(body);
    if (list === undefined) throw this.#call.unusable('it is not a list of memories');
    return list.found;
  }

  async all(scope: Scope): Promise<MemoryEntry[]> {
    const query = new URLSearchParams({ ...entityOf(scope), top_k: String(MAX_LISTED) });
    const list = mem0ListIn(await this.#call.send('GET', `/memories?${query.toString()}`));
    if (list === undefined) throw this.#call.unusable('it is not a list of memories');
    if (list.count >= MAX_LISTED) {
      throw new LaminaError('LIMIT_EXCEEDED', `The mem0 server lists ${MAX_LISTED} memories of a scope and not more.`, {
        details: { limit: MAX_LISTED },
      });
    }
    return list.found.map(({ memory }) => memory);
  }

  /** There is no route for it: its own description is the cheapest that needs the server to work. */
  async ping(): Promise<void> {
    if ((await this.#call.send('GET', '/openapi.json')) === null)
      throw this.#call.unusable('there is nothing at its address');
  }

  close(): void {
    this.#call.close();
  }
}
