/** Facts as rows and back, told once for every SQL engine. */

import { hash } from 'node:crypto';
import type { Fact, Statement } from '../../domain/fact.ts';
import { PERSONAL_LAYERS, scopeKey, scopeOfKey } from '../../domain/scope.ts';
import type { FactDraft } from '../../ports/fact-store.ts';

/**
 * Which terms each of these columns is a hash of, together with the scope: what an index is entered by. Texts are long, and
 * an index takes only so many bytes. One number for all that a question names leaves no planner a choice of indexes.
 */
const HASHED = {
  scope_hash: [],
  type_hash: ['factType'],
  subject_hash: ['subject'],
  slot_hash: ['subject', 'predicate'],
  predicate_hash: ['predicate'],
  claim_hash: ['predicate', 'object'],
  object_hash: ['object'],
  statement_hash: ['factType', 'subject', 'predicate', 'object'],
} as const satisfies Record<string, readonly (keyof Statement)[]>;

export type HashColumn = keyof typeof HASHED;

export const HASH_COLUMNS = Object.keys(HASHED) as HashColumn[];

/** The columns of a fact, but for its id, scope and version. Metadata is JSON, which each engine keeps in its own way. */
export interface FactColumns extends Readonly<Record<HashColumn, number>> {
  readonly fact_type: string;
  readonly subject: string;
  readonly predicate: string;
  readonly object: string;
  readonly confidence: number;
  readonly trust: string;
  readonly source_type: string | null;
  readonly source_reference: string | null;
  readonly valid_from: number;
  readonly valid_to: number | null;
  readonly created_at: number;
  readonly updated_at: number;
}

/** As it is read. The hashes are only for the indexes. */
export interface FactRow extends Omit<FactColumns, HashColumn> {
  readonly scope_key: string;
  readonly version: number;
}

/** The columns of {@link FactRow} that are a fact's own, in any order. */
export const READ_COLUMNS: string = [
  'fact_type',
  'subject',
  'predicate',
  'object',
  'confidence',
  'trust',
  'metadata',
  'source_type',
  'source_reference',
  'valid_from',
  'valid_to',
  'version',
  'created_at',
  'updated_at',
]
  .map((column) => `f.${column}`)
  .join(', ');

/** Enough bytes that few share a hash, few enough for a number. The scope and the texts are compared as well. */
const HASH_DIGITS = 12;

type Terms = Partial<Record<keyof Statement, string | undefined>>;

/** In the scope of this key. */
export function hashOf(column: HashColumn, key: string, terms: Terms): number {
  const text = JSON.stringify([key, ...HASHED[column].map((term) => terms[term])]);
  return Number.parseInt(hash('sha256', text).slice(0, HASH_DIGITS), 16);
}

export function columnsOf(fact: FactDraft): FactColumns {
  const { factType, subject, predicate, object, source, validTo } = fact;
  const key = scopeKeyOf(fact);
  const hashes = HASH_COLUMNS.map((column) => [column, hashOf(column, key, fact)]);
  return {
    ...(Object.fromEntries(hashes) as Record<HashColumn, number>),
    fact_type: factType,
    subject,
    predicate,
    object,
    confidence: fact.confidence,
    trust: fact.trust,
    source_type: source?.type ?? null,
    source_reference: source?.reference ?? null,
    valid_from: Date.parse(fact.validFrom),
    valid_to: validTo === null ? null : Date.parse(validTo),
    created_at: Date.parse(fact.createdAt),
    updated_at: Date.parse(fact.updatedAt),
  };
}

/** Trusts the row: everything in it was validated before it was written. */
export function factOf(factId: string, metadata: Fact['metadata'], row: FactRow): Fact {
  const { source_type: type, source_reference: reference, valid_to: validTo } = row;
  const time = (ms: number): string => new Date(ms).toISOString();
  return {
    factId,
    ...scopeOfKey(row.scope_key),
    factType: row.fact_type,
    subject: row.subject,
    predicate: row.predicate,
    object: row.object,
    confidence: row.confidence,
    trust: row.trust as Fact['trust'],
    metadata,
    ...(type !== null && { source: { type, ...(reference !== null && { reference }) } as Fact['source'] }),
    validFrom: time(row.valid_from),
    validTo: validTo === null ? null : time(validTo),
    version: row.version,
    createdAt: time(row.created_at),
    updatedAt: time(row.updated_at),
  };
}

export function scopeKeyOf({ layer, identifiers }: Pick<Fact, 'layer' | 'identifiers'>): string {
  return scopeKey({ layer, identifiers });
}

/** To whom all facts of a scope belong; the empty string for everyone. See `factPlacement`. */
export function audienceOf({ layer, identifiers }: Pick<Fact, 'layer' | 'identifiers'>): string {
  return PERSONAL_LAYERS.has(layer) ? (identifiers.userId ?? '') : '';
}
