/** Entries as rows and back. */

import { scopeKey, scopeOf, type Layer } from '../../domain/scope.ts';
import { canonicalJson } from '../../domain/json.ts';
import type { Entry } from '../../domain/entry.ts';
import type { EntryWrite } from '../../ports/entry-store.ts';

/** Columns that a write sets, in the order of their values in {@link rowOf}. */
export const WRITTEN_COLUMNS = [
  'id',
  'partition_id',
  'scope_key',
  'owner_id',
  'kind',
  'layer',
  'identifiers',
  'content',
  'content_hash',
  'external_id',
  'metadata',
  'tags',
  'source_type',
  'source_reference',
  'knowledge_pointer',
  'sensitivity',
  'visibility',
  'status',
  'importance',
  'confidence',
  'relevance',
  'decay_factor',
  'role',
  'turn',
  'trigger_condition',
  'procedure_type',
  'version',
  'valid_from',
  'valid_to',
  'expires_at',
  'created_at',
  'updated_at',
  'lexemes',
] as const;

type Column = (typeof WRITTEN_COLUMNS)[number] | 'seq' | 'access_count' | 'last_accessed_at';

export type EntryRow = Record<Column, string | number | null>;

/** The columns that make an entry; the lexemes are left out because no entry shows them. */
export const ENTRY_COLUMNS: string = [
  'seq',
  ...WRITTEN_COLUMNS.filter((column) => column !== 'lexemes'),
  'access_count',
  'last_accessed_at',
]
  .map((column) => `e.${column}`)
  .join(', ');

function millis(time: string | undefined): number | null {
  return time === undefined ? null : Date.parse(time);
}

function isoOf(value: string | number | null): string {
  return new Date(Number(value)).toISOString();
}

export function rowOf({ entry, lexemes }: EntryWrite, partitionId: number): (string | number | null)[] {
  return [
    entry.id,
    partitionId,
    scopeKey(scopeOf(entry.layer, entry.identifiers)),
    entry.ownerId ?? '',
    entry.kind,
    entry.layer,
    canonicalJson(entry.identifiers),
    entry.content,
    entry.contentHash,
    entry.externalId ?? null,
    canonicalJson(entry.metadata),
    JSON.stringify(entry.tags),
    entry.source?.type ?? null,
    entry.source?.reference ?? null,
    entry.knowledgePointer ? canonicalJson(entry.knowledgePointer) : null,
    entry.sensitivity,
    entry.visibility,
    entry.status,
    entry.importance,
    entry.confidence,
    entry.relevance,
    entry.decayFactor,
    entry.role ?? null,
    entry.turn ?? null,
    entry.triggerCondition ?? null,
    entry.procedureType ?? null,
    entry.version,
    millis(entry.validFrom),
    millis(entry.validTo),
    millis(entry.expiresAt),
    millis(entry.createdAt),
    millis(entry.updatedAt),
    lexemes.join(' '),
  ];
}

/** Trusts the row: everything in it was validated before it was written. Fields without a value are left out. */
export function entryOf(row: EntryRow): Entry {
  const version = Number(row.version);
  const entry: Record<string, unknown> = {
    id: row.id,
    kind: row.kind,
    layer: row.layer,
    identifiers: JSON.parse(String(row.identifiers)),
    content: row.content,
    metadata: JSON.parse(String(row.metadata)),
    tags: JSON.parse(String(row.tags)),
    sensitivity: row.sensitivity,
    visibility: row.visibility,
    importance: row.importance,
    confidence: row.confidence,
    relevance: row.relevance,
    decayFactor: row.decay_factor,
    ownerId: row.owner_id === '' ? null : row.owner_id,
    contentHash: row.content_hash,
    status: row.status,
    version,
    previousVersion: version > 1 ? version - 1 : null,
    accessCount: row.access_count,
    createdAt: isoOf(row.created_at),
    updatedAt: isoOf(row.updated_at),
  };
  if (row.external_id !== null) entry['externalId'] = row.external_id;
  if (row.source_type !== null) entry['source'] = sourceOf(row);
  if (row.knowledge_pointer !== null) entry['knowledgePointer'] = JSON.parse(String(row.knowledge_pointer));
  if (row.role !== null) entry['role'] = row.role;
  if (row.turn !== null) entry['turn'] = row.turn;
  if (row.trigger_condition !== null) entry['triggerCondition'] = row.trigger_condition;
  if (row.procedure_type !== null) entry['procedureType'] = row.procedure_type;
  if (row.valid_from !== null) entry['validFrom'] = isoOf(row.valid_from);
  if (row.valid_to !== null) entry['validTo'] = isoOf(row.valid_to);
  if (row.expires_at !== null) entry['expiresAt'] = isoOf(row.expires_at);
  if (row.last_accessed_at !== null) entry['lastAccessedAt'] = isoOf(row.last_accessed_at);
  return entry as Entry;
}

function sourceOf(row: EntryRow): object {
  return { type: row.source_type, ...(row.source_reference !== null && { reference: row.source_reference }) };
}

/** The lexemes of a row; none where there is no text between the spaces. */
export function splitLexemes(joined: string): string[] {
  return joined === '' ? [] : joined.split(' ');
}

/** A candidate's row: see {@link CANDIDATE_COLUMNS}. */
export interface CandidateRow {
  readonly id: string;
  readonly layer: Layer;
  readonly contentHash: string;
  readonly lexemes: string;
  readonly importance: number;
  readonly confidence: number;
  readonly since: number;
  readonly similarity?: number;
}

/** When it began to hold or happened, else when it was created. Spelled as in the index on it. */
export const SINCE = 'coalesce(e.valid_from, e.created_at)';

export const CANDIDATE_COLUMNS: string = `e.id, e.layer, e.content_hash AS contentHash, e.lexemes, e.importance, e.confidence, ${SINCE} AS since`;
