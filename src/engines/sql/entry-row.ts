/** Entries as columns and back: the same in every SQL database but for how it spells JSON and nobody. */

import type { Entry } from '../../domain/entry.ts';
import { scopeKey, scopeOf, type Scope } from '../../domain/scope.ts';
import { isoOf } from './iso-time.ts';

/** What a row says of an entry. Times are milliseconds; JSON is parsed; null is what the entry does not have. */
export interface EntryColumns {
  readonly id: string;
  readonly kind: string;
  readonly layer: string;
  readonly scope_key: string;
  readonly owner_id: string | null;
  readonly identifiers: unknown;
  readonly content: string;
  readonly content_hash: string;
  readonly external_id: string | null;
  readonly metadata: unknown;
  readonly tags: unknown;
  readonly source_type: string | null;
  readonly source_reference: string | null;
  readonly knowledge_pointer: unknown;
  readonly provenance: unknown;
  readonly sensitivity: string;
  readonly trust: string;
  readonly visibility: string;
  readonly status: string;
  readonly importance: number;
  readonly confidence: number;
  readonly relevance: number;
  readonly decay_factor: number;
  readonly role: string | null;
  readonly speaker: string | null;
  readonly turn: number | null;
  readonly trigger_condition: string | null;
  readonly procedure_type: string | null;
  readonly version: number;
  readonly valid_from: number | null;
  readonly valid_to: number | null;
  readonly expires_at: number | null;
  readonly created_at: number;
  readonly updated_at: number;
}

/** No id comes after it. */
export const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/** How often and when it was last recalled, which is counted and never written. */
export interface AccessColumns {
  readonly access_count: number;
  readonly last_accessed_at: number | null;
}

function millis(time: string | undefined): number | null {
  return time === undefined ? null : Date.parse(time);
}

/** What is written together was mostly made at the same time, which is then parsed once. */
let last = { text: '', time: Number.NaN };

function momentOf(text: string): number {
  if (text !== last.text) last = { text, time: Date.parse(text) };
  return last.time;
}

/** `scope` is where it lies, for whoever has it at hand. */
export function columnsOf(entry: Entry, scope: Scope = scopeOf(entry.layer, entry.identifiers)): EntryColumns {
  return {
    id: entry.id,
    kind: entry.kind,
    layer: entry.layer,
    scope_key: scopeKey(scope),
    owner_id: entry.ownerId,
    identifiers: entry.identifiers,
    content: entry.content,
    content_hash: entry.contentHash,
    external_id: entry.externalId ?? null,
    metadata: entry.metadata,
    tags: entry.tags,
    source_type: entry.source?.type ?? null,
    source_reference: entry.source?.reference ?? null,
    knowledge_pointer: entry.knowledgePointer ?? null,
    provenance: entry.provenance ?? null,
    sensitivity: entry.sensitivity,
    trust: entry.trust,
    visibility: entry.visibility,
    status: entry.status,
    importance: entry.importance,
    confidence: entry.confidence,
    relevance: entry.relevance,
    decay_factor: entry.decayFactor,
    role: entry.role ?? null,
    speaker: entry.speaker ?? null,
    turn: entry.turn ?? null,
    trigger_condition: entry.triggerCondition ?? null,
    procedure_type: entry.procedureType ?? null,
    version: entry.version,
    valid_from: millis(entry.validFrom),
    valid_to: millis(entry.validTo),
    expires_at: millis(entry.expiresAt),
    created_at: momentOf(entry.createdAt),
    updated_at: momentOf(entry.updatedAt),
  };
}

/**
 * Trusts the row: everything in it was validated before it was written. Fields without a value are left out. `parse` is for
 * databases that give JSON as text.
 */
export function entryOfColumns(row: EntryColumns & AccessColumns, parse: (json: unknown) => unknown = itself): Entry {
  const entry: Record<string, unknown> = {
    id: row.id,
    kind: row.kind,
    layer: row.layer,
    identifiers: parse(row.identifiers),
    content: row.content,
    metadata: parse(row.metadata),
    tags: parse(row.tags),
    sensitivity: row.sensitivity,
    trust: row.trust,
    visibility: row.visibility,
    importance: row.importance,
    confidence: row.confidence,
    relevance: row.relevance,
    decayFactor: row.decay_factor,
    ownerId: row.owner_id || null,
    contentHash: row.content_hash,
    status: row.status,
    version: row.version,
    previousVersion: row.version > 1 ? row.version - 1 : null,
    accessCount: row.access_count,
    createdAt: isoOf(row.created_at),
    updatedAt: isoOf(row.updated_at),
  };
  if (row.external_id !== null) entry['externalId'] = row.external_id;
  if (row.source_type !== null) entry['source'] = sourceOf(row);
  if (row.knowledge_pointer !== null) entry['knowledgePointer'] = parse(row.knowledge_pointer);
  if (row.provenance !== null) entry['provenance'] = parse(row.provenance);
  if (row.role !== null) entry['role'] = row.role;
  if (row.speaker !== null) entry['speaker'] = row.speaker;
  if (row.turn !== null) entry['turn'] = row.turn;
  if (row.trigger_condition !== null) entry['triggerCondition'] = row.trigger_condition;
  if (row.procedure_type !== null) entry['procedureType'] = row.procedure_type;
  if (row.valid_from !== null) entry['validFrom'] = isoOf(row.valid_from);
  if (row.valid_to !== null) entry['validTo'] = isoOf(row.valid_to);
  if (row.expires_at !== null) entry['expiresAt'] = isoOf(row.expires_at);
  if (row.last_accessed_at !== null) entry['lastAccessedAt'] = isoOf(row.last_accessed_at);
  return entry as Entry;
}

function itself(value: unknown): unknown {
  return value;
}

function sourceOf(row: EntryColumns): object {
  return { type: row.source_type, ...(row.source_reference !== null && { reference: row.source_reference }) };
}
