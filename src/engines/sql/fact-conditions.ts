/**
 * What a question about facts comes to, for every SQL engine. What still holds and what has an end lie in indexes of their
 * own, so each question is asked twice. Only the hashes of those texts are compared by which the right index is entered:
 * the others are looked at when the row is there, so that no planner can take a wrong index for them.
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
  readonly index: string;
  /** Which half: `f.valid_to IS NULL` or the opposite. */
  readonly half: string;
  readonly comparisons: readonly Comparison[];
  /** Whether the index has the rows in the order of a list. */
  readonly isOrdered: boolean;
}

const HASHES = { factType: 'type_hash', subject: 'subject_hash', predicate: 'predicate_hash', object: 'object_hash' };
const TEXTS = { factType: 'fact_type', subject: 'subject', predicate: 'predicate', object: 'object' };

type Term = keyof Statement;

/** By which of the given terms, and by which index. */
interface Entrance {
  readonly index: string;
  readonly terms: readonly Term[];
  readonly isOrdered: boolean;
}

/** How facts without an end are found. */
function openEntrance(given: (term: Term) => boolean): Entrance {
  const by = (index: string, ...terms: Term[]): Entrance => ({ index, terms, isOrdered: true });
  if (given('subject')) {
    if (given('predicate')) return by('facts_subject', 'subject', 'predicate');
    return { ...by('facts_subject', 'subject'), isOrdered: false };
  }
  if (given('object')) {
    return given('predicate') ? by('facts_statement', 'predicate', 'object') : by('facts_object', 'object');
  }
  if (given('predicate')) return by('facts_predicate', 'predicate');
  return given('factType') ? by('facts_type', 'factType') : by('facts_page');
}

/** The same for those with an end. */
function endedEntrance(given: (term: Term) => boolean): Entrance {
  const [first] = (['subject', 'object'] as const).filter(given);
  if (first === undefined) return { index: 'facts_ended', terms: [], isOrdered: false };
  const terms: Term[] = given('predicate') ? [first, 'predicate'] : [first];
  return { index: `facts_ended_${first}`, terms, isOrdered: false };
}

/** Without the scope, and without the place where a page begins. */
export function branchesOf(query: FactQuery): readonly Branch[] {
  const given = (term: Term): boolean => query[term] !== undefined;
  const [open, ended] = [openEntrance(given), endedEntrance(given)];
  const rest = [...textComparisons(query), ...commonComparisons(query)];
  const { time } = query;
  const ends: Comparison[] =
    time === 'any' ? [] : [{ left: 'f.valid_to', operator: '>', value: time.at, type: 'bigint' }];
  return [
    { ...open, half: 'f.valid_to IS NULL', comparisons: [...hashComparisons(query, open.terms), ...rest] },
    {
      ...ended,
      half: 'f.valid_to IS NOT NULL',
      comparisons: [...hashComparisons(query, ended.terms), ...ends, ...rest],
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
