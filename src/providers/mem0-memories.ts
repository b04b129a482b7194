/** What both sorts of mem0 server have in common: how a scope is named there, and how its memories are read. */

import { z } from 'zod';
import type { MemoryEntry } from '../domain/provider.ts';
import { REQUIRED_IDENTIFIERS, type Layer, type Scope } from '../domain/scope.ts';
import type { Scored } from './foreign-provider.ts';
import { layerFieldsOf, scopeIn, withoutLayerFields } from './layer-fields.ts';

/** Names under which mem0 keeps fields of its own among the metadata. */
export const MEM0_NAMES: ReadonlySet<string> = new Set([
  'data',
  'hash',
  'created_at',
  'updated_at',
  'user_id',
  'agent_id',
  'run_id',
  'app_id',
  'actor_id',
  'role',
  'memory_type',
  'expiration_date',
  'text_lemmatized',
]);

type Entity = 'user_id' | 'agent_id' | 'run_id';

/** mem0 has agents, users and runs; the other layers lie under a "user" that is named after the scope. */
const ENTITIES: { readonly [layer in Layer]?: readonly [Entity, 'agentId' | 'userId' | 'sessionId'] } = {
  agent: ['agent_id', 'agentId'],
  user: ['user_id', 'userId'],
  session: ['run_id', 'sessionId'],
};

/**
 * One entity and never two: the hosted platform keeps what is written under two of them apart, so that asking for both
 * finds neither. The user of an agent or a session is in the fields of the layer.
 */
export function entityOf({ layer, identifiers }: Scope): Readonly<Record<string, string>> {
  const entity = ENTITIES[layer];
  if (entity) return { [entity[0]]: identifiers[entity[1]] ?? '' };
  const [name] = REQUIRED_IDENTIFIERS[layer];
  return { user_id: `${layer}:${(name && identifiers[name]) ?? ''}` };
}

/** What a new memory brings: its text as it stands (`infer: false`), its entity, its layer and its metadata. */
export function mem0Draft(content: string, scope: Scope, metadata: object): object {
  return {
    messages: [{ role: 'user', content }],
    ...entityOf(scope),
    metadata: { ...metadata, ...layerFieldsOf(scope) },
    infer: false,
  };
}

const time = z.string().nullish();

const memorySchema = z.object({
  id: z.string().min(1),
  memory: z.string(),
  metadata: z.record(z.string(), z.unknown()).nullish(),
  created_at: time,
  updated_at: time,
  score: z.number().nullish(),
});

const listSchema = z.union([
  z.array(memorySchema),
  z.object({ results: z.array(memorySchema), next: z.string().nullish() }),
]);

const addedSchema = z.array(z.object({ id: z.string().min(1) })).min(1);

export interface Mem0List {
  readonly found: Scored[];
  /** How many the server gave, with those that are not ours. */
  readonly count: number;
  readonly hasMore: boolean;
}

/** A list of memories, bare or under `results`; undefined when it is neither. What is not ours is left out. */
export function mem0ListIn(body: unknown): Mem0List | undefined {
  const parsed = listSchema.safeParse(body);
  if (!parsed.success) return undefined;
  const items = Array.isArray(parsed.data) ? parsed.data : parsed.data.results;
  const next = Array.isArray(parsed.data) ? undefined : parsed.data.next;
  const found = items.flatMap((item) => {
    const memory = memoryOf(item);
    return memory ? [{ memory, score: Math.min(1, Math.max(0, item.score ?? 0)) }] : [];
  });
  return { found, count: items.length, hasMore: typeof next === 'string' && next !== '' };
}

/** One memory: null for what is not ours, undefined when it is none. */
export function mem0MemoryIn(body: unknown): MemoryEntry | null | undefined {
  const parsed = memorySchema.safeParse(body);
  return parsed.success ? memoryOf(parsed.data) : undefined;
}

/** The id of what was added: a list of events, bare or under `results`. */
export function mem0AddedId(body: unknown): string | undefined {
  const events = (body as { readonly results?: unknown } | null | undefined)?.results ?? body;
  const parsed = addedSchema.safeParse(events);
  return parsed.success ? parsed.data[0]?.id : undefined;
}

function memoryOf(item: z.output<typeof memorySchema>): MemoryEntry | null {
  const fields = item.metadata ?? {};
  const scope = scopeIn(fields);
  if (scope === undefined) return null;
  const createdAt = isoTime(item.created_at) ?? isoTime(item.updated_at) ?? new Date(0).toISOString();
  return {
    id: item.id,
    content: item.memory,
    layer: scope.layer,
    identifiers: scope.identifiers,
    metadata: withoutLayerFields(fields),
    createdAt,
    updatedAt: isoTime(item.updated_at) ?? createdAt,
  };
}

function isoTime(text: string | null | undefined): string | undefined {
  const at = Date.parse(text ?? '');
  return Number.isNaN(at) ? undefined : new Date(at).toISOString();
}
