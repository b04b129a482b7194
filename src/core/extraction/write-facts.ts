/** Writing extracted facts, and ending those that no longer hold, as a part of a transaction. */

import type { Cost } from '../../domain/entry.ts';
import { EXTRACTION_KEYS, type ClosedFact, type ExtractedFact } from '../../domain/extraction.ts';
import type { Fact } from '../../domain/fact.ts';
import type { Principal } from '../../domain/principal.ts';
import { isStranger } from '../../domain/trust.ts';
import type { FactTransaction } from '../../ports/fact-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { occurredAt } from '../episodic/episode.ts';
import { settleFacts } from '../facts/add-facts.ts';
import { visible } from '../facts/change-fact.ts';
import { furtherSources } from '../facts/fact-sources.ts';
import { assertionOf, isSuspicious, type Assertion } from '../facts/fact-draft.ts';
import { mayRevise } from '../trust/settle-trust.ts';
import type { Places } from './known.ts';
import { sourceOf, type Made } from './memory-draft.ts';
import type { Sourced, SourcedEnd, SourcedFact } from './verify.ts';

/** Further turns that a fact keeps: the latest. */
const MAX_FURTHER = 10;

export interface WrittenFacts {
  readonly facts: readonly ExtractedFact[];
  readonly closed: readonly ClosedFact[];
  /** The ids of those that are new or say by whom else they were said, by the turn. */
  readonly made: ReadonlyMap<string, readonly string[]>;
}

export async function writeFacts(
  dependencies: Dependencies,
  principal: Principal,
  tx: FactTransaction,
  places: Places,
  { facts: sourced, ended }: { readonly facts: readonly SourcedFact[]; readonly ended: readonly SourcedEnd[] },
  made: Made,
  now: string,
): Promise<WrittenFacts> {
  const closed = await endFacts(principal, tx, ended, made, now);
  const facts = sourced.filter(
    ({ fact, source: { trust } }) => !isSuspicious({ ...fact, trust }, dependencies.quarantine),
  );
  const assertions = facts.map((fact) => assertion(dependencies, principal, places, fact, made, now));
  const outcomes = await settleFacts(tx, assertions, now, dependencies.limits);
  const madeFrom = new Map<string, string[]>();
  const written: ExtractedFact[] = [];
  const latest = new Map<string, Fact>();
  const replace = async (changed: readonly Fact[]): Promise<Fact[]> => {
    const replaced = await tx.replace(changed);
    for (const each of replaced) latest.set(each.factId, each);
    return replaced;
  };
  const standing = (each: Fact): Fact => latest.get(each.factId) ?? each;
  for (const [index, { status, fact, closed: succeeded }] of outcomes.entries()) {
    const from = facts[index];
    if (from === undefined) continue;
    const again = status === 'created' ? undefined : saidAgain(standing(fact), from, now);
    if (again) await replace([again]);
    const { factId, factType, subject, predicate, object, confidence, validFrom } = fact;
    written.push({ status, factId, factType, subject, predicate, object, confidence, validFrom, ...quoted(from) });
    if (status === 'created' || again) madeFrom.set(from.source.id, [...(madeFrom.get(from.source.id) ?? []), factId]);
    const told = await replace(succeeded.map((each) => endedBy(standing(each), from, made)));
    closed.push(...told.map((each) => closedFact(each, from)));
  }
  return { facts: written, closed, made: madeFrom };
}

/** Those that still hold, at the time when it was said. */
async function endFacts(
  principal: Principal,
  tx: FactTransaction,
  ended: readonly SourcedEnd[],
  made: Made,
  now: string,
): Promise<ClosedFact[]> {
  const closed: ClosedFact[] = [];
  for (const end of ended) {
    const [found] = await tx.find([end.known.factId]);
    const current = visible(principal, found);
    const validTo = occurredAt(end.source);
    if (current === null || current.validFrom > validTo || !mayRevise(current.trust, end.source.trust)) continue;
    if (current.validTo !== null && current.validTo <= validTo) continue;
    const [fact] = await tx.replace([{ ...endedBy(current, end, made), validTo, updatedAt: now }]);
    if (fact !== undefined) closed.push(closedFact(fact, end));
  }
  return closed;
}

/** Where the same is known already, it stays as it is: what somebody has said themselves is not made a model's. */
function assertion(
  dependencies: Dependencies,
  principal: Principal,
  { scope }: Places,
  { fact, source, span }: SourcedFact,
  { model, cost }: Made,
  now: string,
): Assertion {
  const { factType, subject, predicate, object, confidence, cardinality } = fact;
  const metadata = {
    [EXTRACTION_KEYS.episode]: source.id,
    [EXTRACTION_KEYS.quote]: span.text,
    [EXTRACTION_KEYS.start]: span.start,
    [EXTRACTION_KEYS.end]: span.end,
    [EXTRACTION_KEYS.model]: model,
    [EXTRACTION_KEYS.cost]: costInMetadata(cost),
  };
  const input = {
    factType,
    subject,
    predicate,
    object,
    ...scope,
    cardinality,
    metadata,
    source: sourceOf(source),
    validFrom: occurredAt(source),
    ...(confidence !== undefined && { confidence }),
  };
  const { draft, isSingle } = assertionOf(dependencies, principal, input, now);
  return {
    draft: { ...draft, trust: source.trust },
    // What a stranger said never ends what is known.
    isSingle: isSingle && !isStranger(source.trust),
    given: { confidence: undefined, metadata: undefined, source: undefined, validTo: undefined },
  };
}

/** A fact that extraction made, with a further turn that says it; undefined where there is nothing to add. */
function saidAgain(fact: Fact, { source, span }: SourcedFact, now: string): Fact | undefined {
  const also = furtherSources(fact);
  const first = fact.metadata[EXTRACTION_KEYS.episode];
  const isKnown = first === source.id || also.some(({ episode }) => episode === source.id);
  if (typeof first !== 'string' || isKnown) return undefined;
  const { type } = sourceOf(source);
  const further = { episode: source.id, type, quote: span.text, start: span.start, end: span.end };
  const metadata = { ...fact.metadata, [EXTRACTION_KEYS.also]: [...also, further].slice(-MAX_FURTHER) };
  return { ...fact, metadata, updatedAt: now };
}

/** Metadata travels as it is, and over HTTP everything is spelled so. */
function costInMetadata({ inputTokens, outputTokens, price, sharedBy }: Cost): object {
  return {
    input_tokens: inputTokens,
    output_tokens: outputTokens,
    ...(price !== undefined && { price }),
    ...(sharedBy !== undefined && { shared_by: sharedBy }),
  };
}

function endedBy(fact: Fact, { source }: Sourced, { model }: Made): Fact {
  const { endedBy: by, endedModel } = EXTRACTION_KEYS;
  return { ...fact, metadata: { ...fact.metadata, [by]: source.id, [endedModel]: model } };
}

function closedFact({ factId, factType, subject, predicate, object, validTo }: Fact, from: Sourced): ClosedFact {
  return { factId, factType, subject, predicate, object, validTo, ...quoted(from) };
}

export function quoted({ source, span }: Sourced): { readonly quote: string; readonly episodeId: string } {
  return { quote: span.text, episodeId: source.id };
}
