/** Entries as rows and back. */

import type { Layer } from '../../domain/scope.ts';
import { canonicalJson } from '../../domain/json.ts';
import type { Entry } from '../../domain/entry.ts';
import type { EntryWrite } from '../../ports/entry-store.ts';
import { columnsOf, entryOfColumns, type AccessColumns, type EntryColumns } from '../sql/entry-row.ts';
import type { SaidColumns } from '../sql/said.ts';

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
  'provenance',
  'sensitivity',
  'trust',
  'visibility',
  'status',
  'importance',
  'confidence',
  'relevance',
  'decay_factor',
  'role',
  'speaker',
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

export function rowOf({ entry, partition, lexemes }: EntryWrite, partitionId: number): (string | number | null)[] {
  const row = columnsOf(entry, partition.scope);
  // Spelled out: looking the columns up by their names takes longer than all the rest.
  return [
    row.id,
    partitionId,
    row.scope_key,
    row.owner_id ?? '',
    row.kind,
    row.layer,
    canonicalJson(row.identifiers),
    row.content,
    row.content_hash,
    row.external_id,
    canonicalJson(row.metadata),
    JSON.stringify(row.tags),
    row.source_type,
    row.source_reference,
    row.knowledge_pointer === null ? null : canonicalJson(row.knowledge_pointer),
    row.provenance === null ? null : canonicalJson(row.provenance),
    row.sensitivity,
    row.trust,
    row.visibility,
    row.status,
    row.importance,
    row.confidence,
    row.relevance,
    row.decay_factor,
    row.role,
    row.speaker,
    row.turn,
    row.trigger_condition,
    row.procedure_type,
    row.version,
    row.valid_from,
    row.valid_to,
    row.expires_at,
    row.created_at,
    row.updated_at,
    lexemes.join(' '),
  ];
}

export function entryOf(row: EntryRow): Entry {
  return entryOfColumns(row as EntryColumns & AccessColumns, parsed);
}

function parsed(json: unknown): unknown {
  // Most entries have neither metadata nor tags.
  return json === '{}' ? {} : json === '[]' ? [] : JSON.parse(String(json));
}

/** The lexemes of a row; none where there is no text between the spaces. */
export function splitLexemes(joined: string): string[] {
  return joined === '' ? [] : joined.split(' ');
}

/** A candidate's row: see {@link candidateColumns}. */
export interface CandidateRow extends SaidColumns {
  readonly seq: number;
  readonly version: number;
  readonly id: string;
  readonly layer: Layer;
  readonly contentHash: string;
  readonly lexemes: string;
  readonly importance: number;
  readonly confidence: number;
  readonly since: number;
}

/** Null where it has no vector. */
export interface Similarity {
  readonly similarity: number | null;
}

/** When it began to hold or happened, else when it was created. Spelled as in the index on it. */
export const SINCE = 'coalesce(e.valid_from, e.created_at)';

/** `endings` is a number of characters. */
export function candidateColumns(endings: number): string {
  return `
    e.seq, e.version, e.id, e.layer, e.content_hash AS contentHash, e.lexemes, e.importance, e.confidence, ${SINCE} AS since,
    iif(e.kind = 'episodic', substr(e.content, -${endings}), NULL) AS ending,
    iif(e.kind = 'episodic', e.identifiers ->> '$.sessionId', NULL) AS sessionId, e.turn, e.speaker`;
}
