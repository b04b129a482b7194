/** An item that is to be stored, as a draft of an entry. */

import { createHash } from 'node:crypto';
import { writtenMetadataSchema, type Metadata } from '../../domain/entry.ts';
import { invalidField, LaminaError } from '../../domain/error.ts';
import { assertJson } from '../../domain/json.ts';
import type { ItemsStoreInput, StoreItem } from '../../domain/memory-item.ts';
import type { Principal } from '../../domain/principal.ts';
import { scopeOf, type Identifiers } from '../../domain/scope.ts';
import { trustOf } from '../../domain/trust.ts';
import { numbered } from '../../domain/numbered.ts';
import type { Dependencies } from '../dependencies.ts';
import { contentHash } from '../remember/content.ts';
import { draftAt, type Draft } from '../remember/draft.ts';
import { KIND_OF, LAYER_OF, SENSITIVITY_OF, SOURCE_TYPE_OF } from './item.ts';

/** Begins the external ids of items. A hash follows, so that whatever is in it, it fits. */
const NAME_PREFIX = 'agent-item:';

/** Throws when an item cannot be stored, and says which. */
export function itemDrafts(dependencies: Dependencies, principal: Principal, input: ItemsStoreInput): Draft[] {
  return input.items.map((item, index) =>
    numbered('items', index, () => itemDraft(dependencies, principal, input, item, index)),
  );
}

/**
 * All of it is private to the user, in a project as well: it is what an agent of that user remembers, and others have
 * agents of the same name. In layers that do not require an agent it is named all the same, to tell whose item it is.
 */
function itemDraft(
  dependencies: Dependencies,
  { userId }: Principal,
  request: ItemsStoreInput,
  item: StoreItem,
  index: number,
): Draft {
  const { agentId, projectId } = request;
  const { sessionId, generatedByTurnId, sensitivity } = item;
  const layer = LAYER_OF[item.scope];
  const identifiers: Identifiers = {
    userId,
    agentId,
    ...(sessionId !== undefined && { sessionId }),
    ...(layer === 'project' && { projectId: requiredProject(projectId) }),
  };
  if (layer === 'session' && sessionId === undefined) throw missing('SessionScope', 'sessionId', 'on the item');
  const scope = scopeOf(layer, identifiers);
  const placement = { scope, kind: KIND_OF[item.tier], visibility: 'private', ownerId: userId } as const;
  const name = nameOf(request, item, index);
  const draft = draftAt(
    dependencies,
    placement,
    {
      content: item.content,
      ...(name !== undefined && { externalId: `${NAME_PREFIX}${name}` }),
      ...(item.metadataJson !== undefined && { metadata: metadataOf(item.metadataJson) }),
      source: {
        type: SOURCE_TYPE_OF[item.source],
        ...(generatedByTurnId !== undefined && { reference: generatedByTurnId }),
      },
      ...(sensitivity !== undefined && { sensitivity: SENSITIVITY_OF[sensitivity] }),
    },
    identifiers,
  );
  // Whoever the principal is, an agent stores it.
  const made = trustOf({ agentId }, draft.fields);
  return { ...draft, made, isKnownByName: name !== undefined, keepsSource: true };
}

/** Throws `MISSING_IDENTIFIER`. */
export function requiredProject(projectId: string | undefined): string {
  if (projectId !== undefined) return projectId;
  throw missing('ProjectScope', 'projectId', 'beside the items, or with what the entity was wired with');
}

function missing(scope: string, name: string, where: string): LaminaError {
  return new LaminaError('MISSING_IDENTIFIER', `${scope} needs a ${name}: name it ${where}.`, {
    details: { layer: scope === 'ProjectScope' ? 'project' : 'session', missing: [name] },
  });
}

/**
 * What happened is known by the request that told of it, if that has an id: else each time is another. What is known is the
 * same when it says the same; but in a session or a project several agents may say so, and each has an item of its own.
 */
function nameOf({ agentId, requestId }: ItemsStoreInput, item: StoreItem, index: number): string | undefined {
  if (item.tier === 'EpisodicMemory') {
    return requestId === undefined ? undefined : hashOf('request', agentId, requestId, String(index), item.content);
  }
  return item.scope === 'GlobalScope' ? undefined : hashOf('content', agentId, contentHash(item.content));
}

export function hashOf(...parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url');
}

/** Throws `VALIDATION_FAILED` for what is no JSON object, or holds what metadata may not. */
function metadataOf(text: string): Metadata {
  const value = parsed(text);
  if (value === null || typeof value !== 'object' || Array.isArray(value)) {
    throw invalidField('metadataJson', 'must be the text of a JSON object, such as {"topic":"billing"}');
  }
  assertJson(value, ['metadataJson']);
  const metadata = writtenMetadataSchema.safeParse(value);
  if (metadata.success) return metadata.data;
  throw invalidField('metadataJson', metadata.error.issues.map(({ message }) => message).join('; '));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
