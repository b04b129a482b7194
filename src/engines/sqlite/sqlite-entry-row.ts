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

/** Trusts the row: everything in it was validated before it was written. */
export function entryOf(row: EntryRow): Entry {
  const optional: Record<string, unknown> = {
    externalId: row.external_id,
    source: row.source_type === null ? null : sourceOf(row),
    knowledgePointer: row.knowledge_pointer === null ? null : JSON.parse(String(row.knowledge_pointer)),
    role: row.role,
    turn: row.turn,
    triggerCondition: row.trigger_condition,
    procedureType: row.procedure_type,
    validFrom: row.valid_from === null ? null : isoOf(row.valid_from),
    validTo: row.valid_to === null ? null : isoOf(row.valid_to),
    expiresAt: row.expires_at === null ? null : isoOf(row.expires_at),
    lastAccessedAt: row.last_accessed_at === null ? null : isoOf(row.last_accessed_at),
  };
  const version = Number(row.version);
  const entry = {
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
  for (const name in optional) if (optional[name] === null) delete optional[name];
  return { ...entry, ...optional } as Entry;
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

export const CANDIDATE_COLUMNS =
  'e.id, e.layer, e.content_hash AS contentHash, e.lexemes, e.importance, e.confidence, ' +
  'coalesce(e.valid_from, e.created_at) AS since';
