/** An item of a set of knowledge as the entry that stands for it. Pure. */

import { createHash } from 'node:crypto';
import { RESERVED_PREFIX, type Entry, type KnowledgePointer, type Metadata } from '../../domain/entry.ts';
import { invalidField } from '../../domain/error.ts';
import { KNOWLEDGE_KEYS, type KnowledgeItem, type SyncKnowledgeInput } from '../../domain/knowledge.ts';
import type { Principal } from '../../domain/principal.ts';
import type { Dependencies } from '../dependencies.ts';
import { draftOf, type Draft } from '../remember/draft.ts';

export type KnowledgeSet = Pick<SyncKnowledgeInput, 'set' | 'layer' | 'identifiers'>;

/** Throws when the item cannot be stored, or not by this principal. */
export function knowledgeDraft(
  dependencies: Dependencies,
  principal: Principal,
  knowledge: KnowledgeSet,
  item: KnowledgeItem,
  existing: Entry | null,
  now: string,
): Draft {
  const { sourceType, sourceId, title, content, contentHash, metadata = {}, ...rest } = item;
  const { layer = knowledge.layer, identifiers = knowledge.identifiers, ...fields } = rest;
  if (layer === undefined) throw invalidField('layer', 'missing, both for the set and for this item');
  const pointer = { sourceType, sourceId, contentHash: contentHash ?? `sha256:${sha256(content)}` };
  return draftOf(dependencies, principal, {
    ...fields,
    content,
    layer,
    identifiers,
    externalId: `${RESERVED_PREFIX}${sha256(JSON.stringify([knowledge.set, sourceType, sourceId]))}`,
    source: { type: 'knowledge_sync', reference: sourceId },
    knowledgePointer: { ...pointer, syncedAt: syncedAt(pointer, existing, now) },
    metadata: {
      ...metadata,
      ...(title !== undefined && { title }),
      [KNOWLEDGE_KEYS.set]: knowledge.set,
      [KNOWLEDGE_KEYS.status]: 'current',
      ...(existing && notOrphaned(existing)),
    },
  });
}

/** When it last came with something new: looking again is no change. */
function syncedAt(pointer: Omit<KnowledgePointer, 'syncedAt'>, existing: Entry | null, now: string): string {
  const known = existing?.knowledgePointer;
  return known?.contentHash === pointer.contentHash && known.sourceId === pointer.sourceId ? known.syncedAt : now;
}

function notOrphaned({ metadata }: Entry): Metadata {
  const since = metadata[KNOWLEDGE_KEYS.orphanedAt];
  return since === undefined || since === null ? {} : { [KNOWLEDGE_KEYS.orphanedAt]: null };
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
