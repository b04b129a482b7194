/**
 * What a question about facts comes to, for every SQL engine. What still holds and what has an end lie in indexes of their
 * own, so each question is asked twice. Only the hashes of those texts are compared by which the right index is entered:
 * the others are looked at when the row is there, and no planner can take a wrong index for them.
 */

import type { Statement } from '../../domain/fact.ts';
import type { FactQuery } from '../../ports/fact-store.ts';
import { textHash } from './fact-row.ts';

/** A comparison with a value that is to be bound. */
export interface Comparison {
  readonly left: string;
  readonly operator: '=' | '<=' | '>=' | '>';
  readonly value: string | number;
  readonly type: 'text' | 'bigint' | 'double precision';
}

export interface Branch {
  /** Which half: `f.valid_to IS NULL` or the opposite. */
  readonly half: string;
  readonly comparisons: readonly Comparison[];
  /** Whether the index has the rows in the order of a list. */
  readonly isOrdered: boolean;
}

const HASHES = { factType: 'type_hash', subject: 'subject_hash', predicate: 'predicate_hash', object: 'object_hash' };
const TEXTS = { factType: 'fact_type', subject: 'subject', predicate: 'predicate', object: 'object' };

type Term = keyof Statement;

/** By which of the given terms the facts without an end are found: facts_subject, facts_statement and so on. */
function openTerms(given: (term: Term) => boolean): { readonly terms: readonly Term[]; readonly isOrdered: boolean } {
  if (given('subject')) {
    return given('predicate')
      ? { terms: ['subject', 'predicate'], isOrdered: true }
      : { terms: ['subject'], isOrdered: false };
  }
  if (given('object')) return { terms: given('predicate') ? ['predicate', 'object'] : ['object'], isOrdered: true };
  if (given('predicate')) return { terms: ['predicate'], isOrdered: true };
  return { terms: given('factType') ? ['factType'] : [], isOrdered: true };
}

/** The same for those with an end: facts_ended_subject, facts_ended_object, facts_ended. */
function endedTerms(given: (term: Term) => boolean): readonly Term[] {
  const [first] = (['subject', 'object'] as const).filter(given);
  if (first === undefined) return [];
  return given('predicate') ? [first, 'predicate'] : [first];
}

/** Without the scope, and without the place where a page begins. */
export function branchesOf(query: FactQuery): readonly Branch[] {
  const given = (term: Term): boolean => query[term] !== undefined;
  const open = openTerms(given);
  const rest = [...textComparisons(query), ...commonComparisons(query)];
  const { time } = query;
  const ends: Comparison[] =
    time === 'any' ? [] : [{ left: 'f.valid_to', operator: '>', value: time.at, type: 'bigint' }];
  return [
    {
      half: 'f.valid_to IS NULL',
      comparisons: [...hashComparisons(query, open.terms), ...rest],
      isOrdered: open.isOrdered,
    },
    {
      half: 'f.valid_to IS NOT NULL',
      comparisons: [...hashComparisons(query, endedTerms(given)), ...ends, ...rest],
      isOrdered: false,
    },
  ];
}

function hashComparisons(query: FactQuery, terms: readonly Term[]): Comparison[] {
  return terms.map((term) => ({
    left: `f.${HASHES[term]}`,
    operator: '=',
    value: textHash(query[term] ?? ''),
    type: 'bigint',
  }));
}

function textComparisons(query: FactQuery): Comparison[] {
  return (Object.keys(TEXTS) as Term[]).flatMap((term): Comparison[] => {
    const value = query[term];
    return value === undefined ? [] : [{ left: `f.${TEXTS[term]}`, operator: '=', value, type: 'text' }];
  });
}

function commonComparisons({ time, minConfidence }: FactQuery): Comparison[] {
  const comparisons: Comparison[] = [];
  if (time !== 'any') comparisons.push({ left: 'f.valid_from', operator: '<=', value: time.at, type: 'bigint' });
  if (minConfidence !== undefined) {
    comparisons.push({ left: 'f.confidence', operator: '>=', value: minConfidence, type: 'double precision' });
  }
  return comparisons;
}
