/** What the protocol attaches to an entry, as fields and metadata, and back: nothing of it gets lost. Pure. */

import { RESERVED_PREFIX, type Entry, type EntryFields, type Metadata } from '../../domain/entry.ts';
import { invalidField } from '../../domain/error.ts';
import { canonicalJson } from '../../domain/json.ts';
import { SOURCE_TYPES } from '../../domain/kind.ts';
import type {
  ChangedKnowledge,
  KnowledgeEntry,
  KnowledgeMetadataInput,
  KnowledgeSource,
  KnowledgeSourceInput,
} from '../../domain/openspec.ts';
import { policyOf } from './access-policy.ts';

/** Of the protocol's own metadata those that Lamina has no field for: they stand in metadata under their names. */
const NAMED = ['title', 'description', 'language', 'author'] as const;

/** Metadata reserved for the protocol; keys with this prefix cannot be custom fields. */
const RESERVED = 'openspec.';

export const SOURCE_KEYS = {
  /** Only where it is none of Lamina's types; the entry's own is `import` then. */
  type: `${RESERVED}source_type`,
  version: `${RESERVED}source_version`,
  providerId: `${RESERVED}provider_id`,
} as const;

type SourceType = (typeof SOURCE_TYPES)[number];

export function isLaminaSource(type: string): type is SourceType {
  return (SOURCE_TYPES as readonly string[]).includes(type);
}

/** What a write sets over what stands there. Throws `VALIDATION_FAILED` for custom fields that would hide others. */
export function fieldsOf(entry: Pick<ChangedKnowledge, 'metadata' | 'source'>, existing: Entry | null): EntryFields {
  const { tags, confidence, importance, custom: given = {}, ...named } = entry.metadata ?? {};
  const custom = withoutReturned(given, existing?.metadata ?? {});
  assertCustom(custom);
  const ownKeys = { ...namedKeys(named), ...(entry.source && sourceKeys(entry.source)) };
  const metadata = { ...custom, ...withoutIdleNulls(ownKeys, existing?.metadata ?? {}) };
  return {
    ...(Object.keys(metadata).length > 0 && { metadata }),
    ...(tags !== undefined && { tags }),
    ...(confidence !== undefined && { confidence }),
    ...(importance !== undefined && { importance }),
    ...(entry.source && { source: { type: sourceType(entry.source), reference: entry.source.identifier } }),
  };
}

function namedKeys(named: Pick<KnowledgeMetadataInput, (typeof NAMED)[number]>): Metadata {
  return Object.fromEntries(NAMED.filter((key) => named[key] !== undefined).map((key) => [key, named[key]]));
}

function sourceKeys(source: KnowledgeSourceInput): Metadata {
  return {
    [SOURCE_KEYS.type]: isLaminaSource(source.type) ? null : source.type,
    [SOURCE_KEYS.version]: source.version ?? null,
    [SOURCE_KEYS.providerId]: source.providerId ?? null,
  };
}

/** Metadata is merged, so null means absent; if there was no value, nothing has to be removed. */
function withoutIdleNulls(written: Metadata, stored: Metadata): Metadata {
  return Object.fromEntries(Object.entries(written).filter(([key, value]) => value !== null || key in stored));
}

/** Without Lamina's own fields if they are unchanged, so that an entry can be sent back as received. */
function withoutReturned(custom: Metadata, stored: Metadata): Metadata {
  const isReturned = (key: string, value: unknown): boolean =>
    key.startsWith(RESERVED_PREFIX) && key in stored && canonicalJson(stored[key]) === canonicalJson(value);
  return Object.fromEntries(Object.entries(custom).filter(([key, value]) => !isReturned(key, value)));
}

function sourceType({ type }: KnowledgeSourceInput): SourceType {
  return isLaminaSource(type) ? type : 'import';
}

function assertCustom(custom: Metadata): void {
  const isReserved = (key: string): boolean => key.startsWith(RESERVED) || key.startsWith(RESERVED_PREFIX);
  const key = Object.keys(custom).find((each) => isNamed(each) || isReserved(each));
  if (key === undefined) return;
  const advice = isNamed(key) ? `is a field of its own: metadata.${key}` : "is Lamina's own to write";
  throw invalidField('entry.metadata.custom', `"${key}" ${advice}`);
}

function isNamed(key: string): boolean {
  return (NAMED as readonly string[]).includes(key);
}

/** The entry as the protocol shows it, whichever surface wrote it. */
export function knowledgeEntryOf(entry: Entry, hasContent = true): KnowledgeEntry {
  const { id, content, embedding, createdAt, updatedAt, version } = entry;
  return {
    id,
    ...(hasContent && { content }),
    ...(embedding !== undefined && { embedding }),
    metadata: metadataOf(entry),
    source: sourceOf(entry),
    accessPolicy: policyOf(entry),
    createdAt,
    updatedAt,
    version,
  };
}

export function metadataOf({ metadata, tags, confidence, importance }: Entry): KnowledgeEntry['metadata'] {
  const named = NAMED.filter((key) => typeof metadata[key] === 'string');
  const custom = Object.entries(metadata).filter(([key, value]) => {
    if (key.startsWith(RESERVED)) return false;
    // Another surface may have put something else there than a text.
    return isNamed(key) ? typeof value !== 'string' && value !== null : true;
  });
  return {
    ...Object.fromEntries(named.map((key) => [key, metadata[key]])),
    tags,
    confidence,
    importance,
    ...(custom.length > 0 && { custom: Object.fromEntries(custom) }),
  };
}

/** What came without a source comes from Lamina itself. */
export function sourceOf({ id, metadata, source, externalId }: Entry): KnowledgeSource {
  const [type, version, providerId] = [SOURCE_KEYS.type, SOURCE_KEYS.version, SOURCE_KEYS.providerId].map((key) => {
    const value = metadata[key];
    return typeof value === 'string' ? value : undefined;
  });
  const own = source?.type ?? 'lamina';
  return {
    // A source written later through another surface wins.
    type: own === 'import' && type !== undefined ? type : own,
    identifier: source?.reference ?? externalId ?? id,
    ...(version !== undefined && { version }),
    ...(providerId !== undefined && { providerId }),
  };
}
