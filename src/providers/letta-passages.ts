/** The memories in the archival memory of a Letta agent: passages with tags. */

import { z } from 'zod';
import { LaminaError } from '../domain/error.ts';
import type { MemoryEntry, MemoryMetadata } from '../domain/provider.ts';
import type { Scope } from '../domain/scope.ts';
import type { ForeignMemories, Scored } from './foreign-provider.ts';
import { layerFieldsOf, scopeIn } from './layer-fields.ts';
import type { ProviderCall } from './provider-call.ts';

const PAGE_SIZE = 100;
/** More than one wants to walk through to find one memory. */
const MAX_PAGES = 100;

const passageSchema = z.object({
  id: z.string().min(1),
  text: z.string(),
  tags: z.array(z.string()).nullish(),
  created_at: z.string().nullish(),
  updated_at: z.string().nullish(),
});

const passagesSchema = z.array(passageSchema);
const hitsSchema = z.array(z.object({ passage: passageSchema, score: z.number() }));

type Passage = z.output<typeof passageSchema>;

/** A tag of ours is `_projectId=apollo`; one of the caller's is `tag=…`, whatever it holds. */
const OWN_TAG = 'tag=';

export class LettaPassages implements ForeignMemories {
  readonly #call: ProviderCall;
  readonly #agentId: string;
  readonly #path: string;

  constructor(call: ProviderCall, agentId: string) {
    this.#call = call;
    this.#agentId = agentId;
    this.#path = `/v1/agents/${encodeURIComponent(agentId)}/archival-memory`;
  }

  async add(content: string, scope: Scope, { tags = [] }: MemoryMetadata): Promise<MemoryEntry> {
    const own = tags.map((tag) => OWN_TAG + tag);
    const body = this.#known(
      await this.#call.send('POST', this.#path, { text: content, tags: [...tagsOf(scope), ...own] }),
    );
    const passages = this.#passages(body);
    const [passage] = passages;
    if (passage === undefined) throw this.#call.unusable('it does not say what was added');
    if (passages.length > 1) return this.#tooLong(passages);
    const memory = memoryOf(passage);
    if (memory === null) throw this.#call.unusable('the tags of the passage are missing');
    return memory;
  }

  /** There is no way to ask for one: the agent's passages are gone through, newest first. */
  async find(id: string): Promise<MemoryEntry | null> {
    for await (const page of this.#pages()) {
      const passage = page.find((candidate) => candidate.id === id);
      if (passage) return memoryOf(passage);
    }
    return null;
  }

  async remove(id: string): Promise<boolean> {
    return (await this.#call.send('DELETE', `${this.#path}/${encodeURIComponent(id)}`)) !== null;
  }

  async search(scope: Scope, query: string, limit: number): Promise<Scored[]> {
    const body = this.#known(
      await this.#call.send('POST', '/v1/passages/search', {
        query,
        agent_id: this.#agentId,
        tags: tagsOf(scope),
        tag_match_mode: 'all',
        limit,
      }),
    );
    const parsed = hitsSchema.safeParse(body);
    if (!parsed.success) throw this.#call.unusable('it is not a list of passages with scores');
    return parsed.data.flatMap(({ passage, score }) => {
      const memory = memoryOf(passage);
      return memory ? [{ memory, score: Math.min(1, Math.max(0, score)) }] : [];
    });
  }

  async all(scope: Scope): Promise<MemoryEntry[]> {
    const wanted = tagsOf(scope);
    const memories: MemoryEntry[] = [];
    for await (const page of this.#pages()) {
      const own = page.filter(({ tags }) => wanted.every((tag) => tags?.includes(tag)));
      memories.push(...own.flatMap((passage) => memoryOf(passage) ?? []));
    }
    return memories;
  }

  async ping(): Promise<void> {
    this.#known(await this.#call.send('GET', `${this.#path}?limit=1`));
  }

  close(): void {
    this.#call.close();
  }

  async *#pages(): AsyncGenerator<Passage[]> {
    let after: string | undefined;
    for (let page = 1; page <= MAX_PAGES; page += 1) {
      const query = new URLSearchParams({ limit: String(PAGE_SIZE), ascending: 'false', ...(after && { after }) });
      const passages = this.#passages(this.#known(await this.#call.send('GET', `${this.#path}?${query.toString()}`)));
      yield passages;
      after = passages.at(-1)?.id;
      if (passages.length < PAGE_SIZE || after === undefined) return;
    }
    const limit = MAX_PAGES * PAGE_SIZE;
    throw new LaminaError('LIMIT_EXCEEDED', `The agent has more than ${limit} passages; a list would take too long.`, {
      details: { limit },
    });
  }

  /** Servers that cut long texts make several passages of one, which would be several memories. */
  async #tooLong(passages: readonly Passage[]): Promise<never> {
    for (const { id } of passages) await this.remove(id);
    throw new LaminaError('CONTENT_TOO_LONG', 'The Letta server cuts this text into several passages; shorten it.');
  }

  #passages(body: unknown): Passage[] {
    const parsed = passagesSchema.safeParse(body);
    if (!parsed.success) throw this.#call.unusable('it is not a list of passages');
    return parsed.data;
  }

  /** Everything but the passage itself is known to be there: 404 means that the agent is not. */
  #known(body: unknown): unknown {
    if (body !== null) return body;
    throw new LaminaError(
      'CONFIGURATION_ERROR',
      'The Letta server does not know this agent. Check agentId and the key.',
    );
  }
}

function tagsOf(scope: Scope): string[] {
  return Object.entries(layerFieldsOf(scope)).map(([name, value]) => `${name}=${value}`);
}

/** Null for a passage that the agent, or somebody else, has written. */
function memoryOf({ id, text, tags: all, created_at, updated_at }: Passage): MemoryEntry | null {
  const own = (all ?? []).filter((tag) => tag.startsWith(OWN_TAG)).map((tag) => tag.slice(OWN_TAG.length));
  const fields = (all ?? []).filter((tag) => tag.startsWith('_')).map((tag) => split(tag));
  const scope = scopeIn(Object.fromEntries(fields));
  if (scope === undefined) return null;
  const createdAt = isoTime(created_at) ?? new Date(0).toISOString();
  return {
    id,
    content: text,
    layer: scope.layer,
    identifiers: scope.identifiers,
    metadata: own.length > 0 ? { tags: own } : {},
    createdAt,
    updatedAt: isoTime(updated_at) ?? createdAt,
  };
}

function split(tag: string): readonly [string, string] {
  const at = tag.indexOf('=');
  return [tag.slice(0, at), tag.slice(at + 1)];
}

function isoTime(text: string | null | undefined): string | undefined {
  const at = Date.parse(text ?? '');
  return Number.isNaN(at) ? undefined : new Date(at).toISOString();
}
