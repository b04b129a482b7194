/**
 * Where a fact comes to stand among those that are known. Pure. Two rules hold in every scope, in whatever order facts
 * arrive: what says the same never holds twice at the same time; and a fact that is the only one ends all others where it
 * begins, and ends itself where the next one begins.
 */

import { isDeepStrictEqual } from 'node:util';
import type { Statement } from '../../domain/fact.ts';
import type { WriteStatus } from '../../domain/remember.ts';
import type { FactDraft } from '../../ports/fact-store.ts';
import { lessTrusted, mayRevise } from '../trust/settle-trust.ts';
import type { Assertion } from './fact-draft.ts';

export interface Outcome {
  readonly status: WriteStatus;
  /** What stands for the assertion from now on. */
  readonly fact: FactDraft;
  /** Those that end because of it, as they stand from now on. */
  readonly closed: readonly FactDraft[];
}

/** Throws `LESS_TRUSTED` where a stranger's would end another's. `known` is what has not ended when the assertion begins: of the same statement, and where it is single of its timeline. */
export function resolve({ draft, isSingle, given }: Assertion, known: readonly FactDraft[], now: string): Outcome {
  const start = draft.validFrom;
  const spans = known.filter((fact) => outlasts(fact, start) && (isSingle || saysTheSame(fact, draft)));
  const holding = spans.filter(({ validFrom }) => validFrom <= start);
  const [next] = spans.filter(({ validFrom }) => validFrom > start).toSorted(byStart);
  const same = holding.find((fact) => saysTheSame(fact, draft));
  const closed = holding
    .filter((fact) => isSingle && fact !== same)
    .map((fact) => ({ ...fact, validTo: start, updatedAt: now }));
  for (const fact of closed)
    if (!mayRevise(fact.trust, draft.trust)) throw lessTrusted(fact.factId, fact.trust, draft.trust);
  const bound = next?.validFrom ?? null;
  if (same !== undefined) {
    // What a stranger says again changes nothing of it.
    if (!mayRevise(same.trust, draft.trust)) return { status: 'unchanged', fact: same, closed };
    const validTo = earlier(given.validTo ?? same.validTo, bound);
    return { ...restated(same, { ...given, validTo }, now), closed };
  }
  // It is known to hold later: so it has held for longer.
  if (!isSingle && next !== undefined && given.validTo === undefined && mayRevise(next.trust, draft.trust)) {
    const { confidence, metadata, source } = given;
    return { ...restated(next, { confidence, metadata, source, validFrom: start }, now), closed };
  }
  return { status: 'created', fact: { ...draft, validTo: earlier(draft.validTo, bound) }, closed };
}

/** Whether it still holds at some time after this one. What was closed where it began never held. */
export function outlasts({ validFrom, validTo }: FactDraft, time: string): boolean {
  return validTo === null || (validTo > time && validTo > validFrom);
}

export function saysTheSame(one: Statement, other: Statement): boolean {
  return isOfSameTimeline(one, other) && one.object === other.object;
}

function isOfSameTimeline(one: Statement, other: Statement): boolean {
  return one.factType === other.factType && one.subject === other.subject && one.predicate === other.predicate;
}

/** What is given of the span replaces it. */
interface Restatement extends Omit<Assertion['given'], 'validTo'> {
  readonly validFrom?: string;
  readonly validTo?: string | null;
}

/** A known fact, said again: a higher confidence raises it, metadata is merged, and what is not given stays. */
function restated(
  fact: FactDraft,
  { confidence = 0, metadata, source, validFrom = fact.validFrom, validTo = fact.validTo }: Restatement,
  now: string,
): Pick<Outcome, 'status' | 'fact'> {
  const next: FactDraft = {
    ...fact,
    validFrom,
    validTo,
    confidence: Math.max(fact.confidence, confidence),
    metadata: { ...fact.metadata, ...metadata },
    ...(source !== undefined && { source }),
  };
  if (isDeepStrictEqual(next, fact)) return { status: 'unchanged', fact };
  return { status: 'updated', fact: { ...next, updatedAt: now } };
}

function byStart(one: FactDraft, other: FactDraft): number {
  return one.validFrom < other.validFrom ? -1 : 1;
}

/** Null is never. */
function earlier(one: string | null, other: string | null): string | null {
  if (one === null || other === null) return one ?? other;
  return one < other ? one : other;
}
