/** Entries as an engine sees them where they are sealed, and back. */

import type { Entry, Metadata } from '../domain/entry.ts';
import { LaminaError } from '../domain/error.ts';
import type { MetadataFilter } from '../domain/filter.ts';
import { altered, openedOrNamed, openedOrNone } from './sealed-text.ts';
import type { TenantKeys } from './tenant-keys.ts';

const PLACE = 'entry';
const HASH = 'hash';

/** Names a person and nothing else; whoever is erased is looked for by it. */
const READABLE_FIELD = 'context.editedBy';

/** All that is sealed of an entry, with the id and the version that it belongs to. */
interface Payload extends Pick<
  Entry,
  'id' | 'version' | 'content' | 'metadata' | 'tags' | 'contentHash' | 'provenance' | 'knowledgePointer'
> {
  readonly reference?: string | undefined;
  readonly speaker?: string | undefined;
  readonly triggerCondition?: string | undefined;
}

export function sealedEntry(keys: TenantKeys, entry: Entry): Entry {
  const { content, metadata, tags, contentHash, provenance, knowledgePointer, source, ...rest } = entry;
  const { speaker, triggerCondition, ...readable } = rest;
  const { [READABLE_FIELD]: editor, ...fields } = metadata;
  const { id, version } = entry;
  const payload: Payload = {
    id,
    version,
    content,
    metadata: fields,
    tags,
    contentHash,
    provenance,
    knowledgePointer,
    reference: source?.reference,
    speaker,
    triggerCondition,
  };
  const { promotedFromEntry } = provenance ?? {};
  return {
    ...readable,
    content: keys.seal(JSON.stringify(payload), PLACE),
    contentHash: keys.marks.fix(contentHash, HASH),
    metadata: { ...(editor !== undefined && { [READABLE_FIELD]: editor }), ...markedFields(keys, fields) },
    tags: tags.map((tag) => keys.marks.tag(tag)),
    ...(source && { source: { type: source.type } }),
    // That there is one can be filtered by.
    ...(knowledgePointer && { knowledgePointer: { ...knowledgePointer, sourceId: '', contentHash: '' } }),
    ...(promotedFromEntry !== undefined && { provenance: { promotedFromEntry } }),
  };
}

/** Throws `PROVIDER_ERROR` with its id for what cannot be opened. */
export function openedEntry(keys: TenantKeys, entry: Entry): Entry {
  return openedOrNamed('memory', entry.id, () => fullyOpened(keys, entry));
}

/** Undefined for what cannot be opened. */
export function openedEntryOrNone(keys: TenantKeys, entry: Entry): Entry | undefined {
  return openedOrNone(() => fullyOpened(keys, entry));
}

/** Those that can be opened. */
export function openedEntries(keys: TenantKeys, entries: readonly Entry[]): Entry[] {
  return entries.flatMap((entry) => openedEntryOrNone(keys, entry) ?? []);
}

function fullyOpened(keys: TenantKeys, entry: Entry): Entry {
  const text = keys.open(entry.content, PLACE);
  if (text === undefined) return entry;
  const payload = JSON.parse(text) as Payload;
  if (payload.id !== entry.id || payload.version !== entry.version) throw altered();
  const { provenance: _provenance, knowledgePointer: _pointer, source, ...readable } = entry;
  const { content, metadata, tags, contentHash, provenance, knowledgePointer, reference, speaker } = payload;
  const { triggerCondition } = payload;
  const editor = entry.metadata[READABLE_FIELD];
  return {
    ...readable,
    content,
    tags,
    contentHash,
    metadata: { ...metadata, ...(editor !== undefined && { [READABLE_FIELD]: editor }) },
    ...(source && { source: { ...source, ...(reference !== undefined && { reference }) } }),
    ...(provenance && { provenance }),
    ...(knowledgePointer && { knowledgePointer }),
    ...(speaker !== undefined && { speaker }),
    ...(triggerCondition !== undefined && { triggerCondition }),
  };
}

/** What was embedded for an entry, from what an engine gives for its content. None of what was altered: that can still go. */
export function openedTexts(keys: TenantKeys, text: string): string[] {
  let opened: string | undefined;
  try {
    opened = keys.open(text, PLACE);
  } catch (error) {
    if (error instanceof LaminaError) return [];
    throw error;
  }
  if (opened === undefined) return [text];
  const { content, triggerCondition } = JSON.parse(opened) as Payload;
  return triggerCondition === undefined ? [content] : [content, triggerCondition];
}

/** A content and its hash, from what lies there for both. Undefined for what is not sealed; throws for what was altered. */
export function openedContent(
  keys: TenantKeys,
  stored: Pick<Entry, 'id' | 'content' | 'contentHash'>,
): Pick<Entry, 'content' | 'contentHash'> | undefined {
  const text = keys.open(stored.content, PLACE);
  if (text === undefined) return undefined;
  const { id, content, contentHash } = JSON.parse(text) as Payload;
  if (id !== stored.id || openedHash(keys, stored.contentHash) !== contentHash) throw altered();
  return { content, contentHash };
}

/** What the ranking has to know of what was said. */
export function openedSaid(keys: TenantKeys, text: string): Pick<Payload, 'content' | 'speaker'> | undefined {
  const opened = keys.open(text, PLACE);
  return opened === undefined ? undefined : (JSON.parse(opened) as Payload);
}

export function sealedHash(keys: TenantKeys, contentHash: string): string {
  return keys.marks.fix(contentHash, HASH);
}

export function openedHash(keys: TenantKeys, contentHash: string): string {
  return keys.isThere ? keys.marks.loosen(contentHash, HASH) : contentHash;
}

/** By marks, which are equal where the values are. */
export function sealedFilter(keys: TenantKeys, filter: MetadataFilter): MetadataFilter {
  const { tags, custom, ...readable } = filter;
  const { [READABLE_FIELD]: editor, ...fields } = custom ?? {};
  return {
    ...readable,
    ...(tags && { tags: tags.map((tag) => keys.marks.tag(tag)) }),
    ...(custom && {
      custom: { ...(editor !== undefined && { [READABLE_FIELD]: editor }), ...markedFields(keys, fields) },
    }),
  };
}

/** Whether a filter is about what is sealed. */
export function isAboutSealed({ tags, custom }: MetadataFilter): boolean {
  return tags !== undefined || custom !== undefined;
}

function markedFields(keys: TenantKeys, fields: Metadata): Metadata {
  const marked = Object.entries(fields).flatMap(([name, value]) =>
    value === undefined ? [] : [[keys.marks.field(name), keys.marks.value(name, value)] as const],
  );
  return Object.fromEntries(marked);
}
