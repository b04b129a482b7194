/** Entries of contexts as callers see and write them: what only they have lies in reserved fields of the metadata. */

import {
  EDITED_BY_FIELD,
  effectiveRelevance,
  ENTRY_TYPE_FIELD,
  MEMORY_TYPE_FIELD,
  RESERVED_FIELDS,
  type ContextEntry,
  type ContextEntryChoice,
  type ContextEntryFields,
  type ContextSourceType,
} from '../../domain/context-entry.ts';
import type { Entry, EntryFields, Metadata, Source } from '../../domain/entry.ts';
import type { MetadataFilter } from '../../domain/filter.ts';
import type { Principal } from '../../domain/principal.ts';
import { actorName } from './visit.ts';

export function contextEntryOf(entry: Entry, now: number): ContextEntry {
  const { metadata, source, provenance, lastAccessedAt, expiresAt } = entry;
  return {
    contextId: entry.identifiers.contextId ?? '',
    key: entry.externalId ?? '',
    entryId: entry.id,
    content: entry.content,
    entryType: metadata[ENTRY_TYPE_FIELD] as ContextEntry['entryType'],
    memoryType: metadata[MEMORY_TYPE_FIELD] as ContextEntry['memoryType'],
    ...sourceShown(source),
    metadata: ownMetadata(metadata),
    tags: entry.tags,
    trust: entry.trust,
    importance: entry.importance,
    confidence: entry.confidence,
    effectiveRelevance: effectiveRelevance(entry, now),
    editedBy: String(metadata[EDITED_BY_FIELD]),
    ...(provenance !== undefined && { provenance }),
    contentHash: entry.contentHash,
    status: entry.status,
    version: entry.version,
    previousVersion: entry.previousVersion,
    accessCount: entry.accessCount,
    ...(lastAccessedAt !== undefined && { lastAccessedAt }),
    ...(expiresAt !== undefined && { expiresAt }),
    createdAt: entry.createdAt,
    updatedAt: entry.updatedAt,
  };
}

function sourceShown(source: Source | undefined): Pick<ContextEntry, 'sourceType' | 'sourceReference'> {
  if (source === undefined) return {};
  const { type, reference } = source;
  return { sourceType: type as ContextSourceType, ...(reference !== undefined && { sourceReference: reference }) };
}

/** Without what is reserved. */
function ownMetadata(metadata: Metadata): Metadata {
  return Object.fromEntries(Object.entries(metadata).filter(([field]) => !RESERVED_FIELDS.includes(field)));
}

/** The fields of the entry that a write sets over what stands there; not yet who wrote it. */
export function fieldsOver(existing: Entry | null, given: ContextEntryFields, principal: Principal): EntryFields {
  const { entryType, memoryType, sourceType, sourceReference, metadata, ...rest } = given;
  const isNew = existing === null;
  return {
    ...rest,
    source: sourceOver(existing, sourceType, sourceReference, principal),
    metadata: {
      ...metadata,
      ...fieldOf(ENTRY_TYPE_FIELD, entryType ?? (isNew ? 'fact' : undefined)),
      ...fieldOf(MEMORY_TYPE_FIELD, memoryType ?? (isNew ? 'factual' : undefined)),
    },
  };
}

/** The same with who wrote it. */
export function signed<Fields extends EntryFields>(fields: Fields, principal: Principal): Fields {
  return { ...fields, metadata: { ...fields.metadata, [EDITED_BY_FIELD]: actorName(principal) } };
}

function fieldOf(field: string, value: string | undefined): Metadata {
  return value === undefined ? {} : { [field]: value };
}

/** What is left out stays; what never was is whoever is asking. */
function sourceOver(
  existing: Entry | null,
  sourceType: ContextSourceType | undefined,
  sourceReference: string | undefined,
  { agentId }: Principal,
): Source | undefined {
  const before = existing?.source;
  if (existing !== null && sourceType === undefined && sourceReference === undefined) return undefined;
  const type = sourceType ?? before?.type ?? (agentId === undefined ? 'user' : 'agent');
  const reference = sourceReference ?? before?.reference;
  return { type, ...(reference !== undefined && { reference }) };
}

export function filterOf({ entryType, memoryType, sourceType, tags }: ContextEntryChoice): MetadataFilter {
  const custom = { ...fieldOf(ENTRY_TYPE_FIELD, entryType), ...fieldOf(MEMORY_TYPE_FIELD, memoryType) };
  return {
    ...(tags && { tags }),
    ...(sourceType && { sourceType }),
    ...(Object.keys(custom).length > 0 && { custom }),
  };
}
