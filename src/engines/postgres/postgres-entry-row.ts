/** Entries as rows of PostgreSQL and back, and the pieces of SQL that all statements about them share. */

import { partitionKey } from '../../domain/access.ts';
import type { Entry } from '../../domain/entry.ts';
import type { EntryWrite } from '../../ports/entry-store.ts';
import { columnsOf, entryOfColumns, type AccessColumns, type EntryColumns } from '../sql/entry-row.ts';
import type { Parameter } from './postgres-driver.ts';

/** The columns that an entry is written to, but for its partition, which is looked up by its key; and their types. */
const WRITTEN_COLUMNS = {
  id: 'uuid',
  audience: 'text',
  scope_key: 'text',
  owner_id: 'text',
  kind: 'text',
  layer: 'text',
  identifiers: 'jsonb',
  content: 'text',
  content_hash: 'text',
  external_id: 'text',
  metadata: 'jsonb',
  tags: 'jsonb',
  source_type: 'text',
  source_reference: 'text',
  knowledge_pointer: 'jsonb',
  provenance: 'jsonb',
  sensitivity: 'text',
  trust: 'text',
  visibility: 'text',
  status: 'text',
  importance: 'double precision',
  confidence: 'double precision',
  relevance: 'double precision',
  decay_factor: 'double precision',
  role: 'text',
  speaker: 'text',
  turn: 'bigint',
  trigger_condition: 'text',
  procedure_type: 'text',
  version: 'bigint',
  valid_from: 'bigint',
  valid_to: 'bigint',
  expires_at: 'bigint',
  created_at: 'bigint',
  updated_at: 'bigint',
  length: 'integer',
  lexemes: 'text',
} as const satisfies Record<keyof EntryColumns | 'audience' | 'length' | 'lexemes', string>;

const NAMES = Object.keys(WRITTEN_COLUMNS) as (keyof typeof WRITTEN_COLUMNS)[];

/** No entry shows its lexemes, and nobody but the policies asks for its audience. */
const SHOWN = NAMES.filter((name) => name !== 'lexemes' && name !== 'length' && name !== 'audience');

/** `id, audience, …` */
export const WRITTEN: string = NAMES.join(', ');
/** `w.id, w.audience, …` */
export const WRITTEN_VALUES: string = NAMES.map((name) => `w.${name}`).join(', ');

/** Rows of {@link writtenOf} as a table, with `more` columns of the statement's own. */
export function writtenTable(parameter: string, more: string): string {
  const columns = NAMES.map((name) => `${name} ${WRITTEN_COLUMNS[name]}`).join(', ');
  return `json_to_recordset(${parameter}::json) AS w (${columns}, partition_key text, ${more})`;
}

/** One row of {@link writtenValues} as such a table. */
export const WRITTEN_ROW = `(SELECT ${[...NAMES.map((name) => [name, WRITTEN_COLUMNS[name]]), ['partition_key', 'text']]
  .map(([name, type], index) => `$${index + 1}::${type} AS ${name}`)
  .join(', ')}) AS w`;

/** The columns of an entry `e` and of its accesses `a`. */
export const ENTRY_COLUMNS: string = [
  'e.seq',
  ...SHOWN.map((name) => `e.${name}`),
  'coalesce(a.access_count, 0) AS access_count',
  'a.last_accessed_at',
].join(', ');

/**
 * Adds its accesses to each entry `e`. The limit says nothing new, but keeps the planner from reading the whole table
 * when it thinks that there are many entries.
 */
export const WITH_ACCESSES = `
  LEFT JOIN LATERAL (
    SELECT x.access_count, x.last_accessed_at FROM lamina.entry_accesses x WHERE x.seq = e.seq LIMIT 1) a ON true`;

/** When it began to hold or happened, else when it was created. Spelled as in the index on it. */
export const SINCE = 'coalesce(e.valid_from, e.created_at)';

export interface EntryRow extends EntryColumns, AccessColumns {
  readonly seq: number;
}

export interface WrittenRow extends EntryColumns {
  readonly audience: string | null;
  readonly length: number;
  readonly lexemes: string;
  readonly partition_key: string;
}

export function writtenOf({ entry, partition, lexemes }: EntryWrite): WrittenRow {
  return {
    ...columnsOf(entry, partition.scope),
    audience: partition.audience === '' ? null : partition.audience,
    length: lexemes.length,
    lexemes: lexemes.join(' '),
    partition_key: partitionKey(partition),
  };
}

/** The same as values of a statement. */
export function writtenValues(write: EntryWrite): Parameter[] {
  const row = writtenOf(write);
  return [...NAMES.map((name) => (isJson(name) ? jsonOf(row[name]) : row[name])), row.partition_key];
}

type Name = keyof typeof WRITTEN_COLUMNS;
type JsonName = { [N in Name]: (typeof WRITTEN_COLUMNS)[N] extends 'jsonb' ? N : never }[Name];

function isJson(name: Name): name is JsonName {
  return WRITTEN_COLUMNS[name] === 'jsonb';
}

function jsonOf(value: unknown): string | null {
  return value === null ? null : JSON.stringify(value);
}

export function entryOf(row: EntryRow): Entry {
  return entryOfColumns(row);
}
