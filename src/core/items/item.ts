/** Entries as memory items of an agent: layers as scopes, kinds as tiers, and the other way round. */

import type { Entry, Source } from '../../domain/entry.ts';
import type { Kind, Role, Sensitivity } from '../../domain/kind.ts';
import type { MemoryItem, MemoryScope, MemorySource, MemoryTier, SensitivityLevel } from '../../domain/memory-item.ts';
import type { Layer } from '../../domain/scope.ts';

type SourceType = Source['type'];

export const LAYER_OF = {
  SessionScope: 'session',
  ProjectScope: 'project',
  GlobalScope: 'agent',
} as const satisfies Record<MemoryScope, Layer>;

export const KIND_OF = {
  SemanticMemory: 'semantic',
  EpisodicMemory: 'episodic',
} as const satisfies Record<MemoryTier, Kind>;

export const SOURCE_TYPE_OF = {
  UserSource: 'user',
  SystemSource: 'system',
  AgentSource: 'agent',
} as const satisfies Record<MemorySource, SourceType>;

export const SENSITIVITY_OF = {
  Public: 'public',
  Internal: 'internal',
  Confidential: 'confidential',
  Restricted: 'restricted',
} as const satisfies Record<SensitivityLevel, Sensitivity>;

const SOURCES: Partial<Record<SourceType, MemorySource>> = {
  user: 'UserSource',
  manual: 'UserSource',
  agent: 'AgentSource',
  system: 'SystemSource',
  tool: 'SystemSource',
  tool_result: 'SystemSource',
  workflow: 'SystemSource',
  import: 'SystemSource',
  knowledge_sync: 'SystemSource',
};

const TURN_SOURCES: ReadonlySet<SourceType> = new Set(Object.values(SOURCE_TYPE_OF));

const SPEAKERS: Record<Role, MemorySource> = {
  user: 'UserSource',
  assistant: 'AgentSource',
  system: 'SystemSource',
  tool: 'SystemSource',
};

const TIERS: Partial<Record<Kind, MemoryTier>> = invert(KIND_OF);
const SCOPES: Partial<Record<Layer, MemoryScope>> = invert(LAYER_OF);
const LEVELS: Record<Sensitivity, SensitivityLevel> = invert(SENSITIVITY_OF);

function invert<From extends string, To extends string>(table: Record<From, To>): Record<To, From> {
  const swapped = (Object.entries(table) as [From, To][]).map(([from, to]) => [to, from]);
  return Object.fromEntries(swapped) as Record<To, From>;
}

/** Whether it is an item of this agent of this user: it names the agent, also where its layer does not require that. */
export function isItemOf({ identifiers, ownerId, kind, layer }: Entry, userId: string, agentId: string): boolean {
  const isTheirs = ownerId === userId && identifiers.agentId === agentId && identifiers.contextId === undefined;
  return isTheirs && TIERS[kind] !== undefined && SCOPES[layer] !== undefined;
}

/** For entries of which {@link isItemOf} holds. */
export function itemOf(entry: Entry): MemoryItem {
  const { id, identifiers, kind, layer, content, metadata, source, sensitivity, createdAt, updatedAt } = entry;
  return {
    memoryItemId: id,
    agentId: identifiers.agentId ?? '',
    tier: TIERS[kind] ?? 'SemanticMemory',
    scope: SCOPES[layer] ?? 'GlobalScope',
    source: sourceOf(entry),
    content,
    metadataJson: Object.keys(metadata).length === 0 ? null : JSON.stringify(metadata),
    generatedByTurnId: turnOf(source),
    sessionId: identifiers.sessionId ?? null,
    sensitivity: LEVELS[sensitivity],
    createdAt,
    updatedAt,
  };
}

/** What refers to something else, such as a document or a tool call, names no turn. */
function turnOf(source: Entry['source']): string | null {
  const isTurn = source !== undefined && TURN_SOURCES.has(source.type);
  return isTurn ? (source.reference ?? null) : null;
}

/** What was said is whoever's who said it; what an agent keeps without a word on where it is from is the agent's own. */
function sourceOf({ source, role }: Entry): MemorySource {
  const spoken = role === undefined ? undefined : SPEAKERS[role];
  return (source && SOURCES[source.type]) ?? spoken ?? (source === undefined ? 'AgentSource' : 'UserSource');
}
