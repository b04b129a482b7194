/**
 * What a question about facts comes to, for every SQL engine. What still holds and what has an end lie in indexes of their
 * own, so each question is asked twice. Each index is entered by one number; the rest is looked at when the row is there.
 */

import type { Direction, Statement } from '../../domain/fact.ts';
import type { EdgeQuery, FactQuery } from '../../ports/fact-store.ts';
import { hashOf, type HashColumn } from './fact-row.ts';

/** A comparison with a value that is to be bound. */
export interface Comparison {
  readonly left: string;
  readonly operator: '=' | '<=' | '>=' | '>';
  readonly value: string | number;
  readonly type: 'text' | 'bigint' | 'double precision';
}

export interface Branch {
  readonly index: string;
  /** What the index is entered by. */
  readonly column: HashColumn;
  /** Which half: `f.valid_to IS NULL` or the opposite. */
  readonly half: string;
  readonly comparisons: readonly Comparison[];
  /** Whether the index has the rows in the order of a list; else it has them by their end. */
  readonly isOrdered: boolean;
}

const TEXTS = { factType: 'fact_type', subject: 'subject', predicate: 'predicate', object: 'object' } as const;

type Term = keyof Statement;

/** The column for what is given of a statement, the narrowest that there is. */
function columnFor(query: Partial<Record<Term, string | undefined>>): HashColumn {
  const [hasSubject, hasPredicate, hasObject] = [query.subject, query.predicate, query.object].map(
    (term) => term !== undefined,
  );
  if (hasSubject) return hasPredicate ? 'slot_hash' : 'subject_hash';
  if (hasObject) return hasPredicate ? 'claim_hash' : 'object_hash';
  if (hasPredicate) return 'predicate_hash';
  return query.factType === undefined ? 'scope_hash' : 'type_hash';
}

/** Those with an end have fewer indexes: many of them are rarely asked for. */
const ENDED: ReadonlySet<HashColumn> = new Set(['subject_hash', 'slot_hash', 'claim_hash', 'object_hash']);

/** `facts_subject` is entered by `subject_hash`, `facts_page` and `facts_ended` by that of the scope. */
function indexFor(column: HashColumn, isEnded: boolean): string {
  if (column === 'scope_hash') return isEnded ? 'facts_ended' : 'facts_page';
  return `facts_${isEnded ? 'ended_' : ''}${column.replace('_hash', '')}`;
}

/** Without the scope, and without the place where a page begins. */
export function branchesOf(query: FactQuery): readonly Branch[] {
  const open = columnFor(query);
  const ended = ENDED.has(open) ? open : 'scope_hash';
  const rest = [...textComparisons(query), ...commonComparisons(query)];
  const { time } = query;
  const ends: Comparison[] =
    time === 'any' ? [] : [{ left: 'f.valid_to', operator: '>', value: time.at, type: 'bigint' }];
  return [
    { index: indexFor(open, false), column: open, half: 'f.valid_to IS NULL', comparisons: rest, isOrdered: true },
    {
      index: indexFor(ended, true),
      column: ended,
      half: 'f.valid_to IS NOT NULL',
      comparisons: [...ends, ...rest],
      isOrdered: false,
    },
  ];
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

/** One way to go from nodes: which end of a fact they are, and by which column and indexes it is found. */
export interface Way {
  readonly end: 'subject' | 'object';
  readonly column: HashColumn;
  readonly open: string;
  readonly ended: string;
}

export function waysOf({ direction, predicates }: Pick<EdgeQuery, 'direction' | 'predicates'>): Way[] {
  return ENDS[direction].map((end) => {
    const column = predicates === undefined ? NODE_COLUMNS[end] : PAIR_COLUMNS[end];
    return { end, column, open: indexFor(column, false), ended: indexFor(column, true) };
  });
}

const ENDS: { readonly [Each in Direction]: readonly Way['end'][] } = {
  out: ['subject'],
  in: ['object'],
  both: ['subject', 'object'],
};
const NODE_COLUMNS = { subject: 'subject_hash', object: 'object_hash' } as const;
const PAIR_COLUMNS = { subject: 'slot_hash', object: 'claim_hash' } as const;

/** A node in a scope, perhaps with a predicate: where edges are looked for. */
export interface Lead {
  readonly hash: number;
  readonly node: string;
  readonly predicate?: string | undefined;
}

export function leadsOf(key: string, { end, column }: Way, { nodes, predicates }: EdgeQuery): Lead[] {
  return nodes.flatMap((node) =>
    (predicates ?? [undefined]).map((predicate) => ({
      hash: hashOf(column, key, { [end]: node, ...(predicate !== undefined && { predicate }) }),
      node,
      predicate,
    })),
  );
}
