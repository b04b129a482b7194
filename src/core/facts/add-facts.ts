/** Writing facts: one or many, all or none, each placed among what is known. */

import { idTaken } from '../../domain/error.ts';
import type { AddFactInput, AddFactOutput, Fact } from '../../domain/fact.ts';
import { assertWithin, type Limits } from '../../domain/limits.ts';
import type { Principal } from '../../domain/principal.ts';
import { scopeKey } from '../../domain/scope.ts';
import { numbered } from '../../domain/numbered.ts';
import type { FactDraft, FactTransaction, TimelineQuery } from '../../ports/fact-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { isoAt } from '../records/record.ts';
import { assertDraft, assertionOf, type Assertion } from './fact-draft.ts';
import { resolve, type Outcome } from './timeline.ts';

/** Outputs in the order of the inputs, each fact as it stands after all of them. */
export async function addFacts(
  dependencies: Dependencies,
  principal: Principal,
  inputs: readonly AddFactInput[],
  isList: boolean,
): Promise<AddFactOutput[]> {
  const { facts, clock, limits } = dependencies;
  assertWithin('LIMIT_EXCEEDED', 'The batch', inputs.length, limits.batchSize, 'facts');
  const now = isoAt(clock.now());
  const assertions = inputs.map((input, index) =>
    inList(isList, index, () => assertionOf(dependencies, principal, input, now)),
  );
  return facts.transaction(principal, (tx) => settleFacts(tx, assertions, now, limits, isList));
}

export async function addFact(
  dependencies: Dependencies,
  principal: Principal,
  input: AddFactInput,
): Promise<AddFactOutput> {
  const [output] = await addFacts(dependencies, principal, [input], false);
  if (output === undefined) throw new Error('A write of one fact answered with none.');
  return output;
}

/** The same as a part of a transaction that does more. */
export async function settleFacts(
  tx: FactTransaction,
  assertions: readonly Assertion[],
  now: string,
  limits: Limits,
  isList: boolean = assertions.length > 1,
): Promise<AddFactOutput[]> {
  const ledger = new Ledger(await tx.timelines(queriesOf(assertions)), now);
  const outcomes = assertions.map((assertion, index) =>
    inList(isList, index, () => {
      const outcome = ledger.add(assertion);
      // What fits alone may not fit together with what is stored already.
      assertDraft(outcome.fact, limits);
      return outcome;
    }),
  );
  const stored = await ledger.write(tx);
  const standing = ({ factId }: FactDraft): Fact => nonNull(stored.get(factId));
  return outcomes.map(({ status, fact, closed }) => ({
    status,
    fact: standing(fact),
    closed: closed.map(standing),
  }));
}

/** What the assertions can meet: each question once, from the earliest time that any of them asks about. */
function queriesOf(assertions: readonly Assertion[]): TimelineQuery[] {
  const queries = new Map<string, TimelineQuery>();
  for (const { draft, isSingle } of assertions) {
    const { layer, identifiers, factType, subject, predicate, object, validFrom } = draft;
    const key = isSingle ? timelineKey(draft) : JSON.stringify([timelineKey(draft), object]);
    const known = queries.get(key)?.from ?? validFrom;
    queries.set(key, {
      scope: { layer, identifiers },
      factType,
      subject,
      predicate,
      ...(!isSingle && { object }),
      from: known < validFrom ? known : validFrom,
    });
  }
  return [...queries.values()];
}

/** A text that is equal for facts of one timeline only. */
function timelineKey({ layer, identifiers, factType, subject, predicate }: FactDraft): string {
  return JSON.stringify([scopeKey({ layer, identifiers }), factType, subject, predicate]);
}

/** What is known, with what a batch does to it so far. */
class Ledger {
  readonly #now: string;
  /** As they stand in the store. */
  readonly #stored: ReadonlyMap<string, Fact>;
  /** By timeline, and in it by id. */
  readonly #timelines = new Map<string, Map<string, FactDraft>>();
  readonly #created = new Set<string>();
  readonly #changed = new Map<string, FactDraft>();

  constructor(known: readonly Fact[], now: string) {
    this.#now = now;
    this.#stored = new Map(known.map((fact) => [fact.factId, fact]));
    for (const fact of known) this.#timelineOf(fact).set(fact.factId, fact);
  }

  /** Throws `VERSION_CONFLICT` when the id of a new fact is taken within the batch. */
  add(assertion: Assertion): Outcome {
    const timeline = this.#timelineOf(assertion.draft);
    const outcome = resolve(assertion, [...timeline.values()], this.#now);
    const { status, fact, closed } = outcome;
    if (status === 'created') {
      if (this.#created.has(fact.factId) || this.#stored.has(fact.factId)) throw idTaken(fact.factId);
      this.#created.add(fact.factId);
    }
    for (const each of status === 'unchanged' ? closed : [...closed, fact]) {
      timeline.set(each.factId, each);
      this.#changed.set(each.factId, each);
    }
    return outcome;
  }

  /** All that it knows of, as they stand in the store from now on. */
  async write(tx: FactTransaction): Promise<ReadonlyMap<string, Fact>> {
    const changed = [...this.#changed.values()];
    const replaced = await tx.replace(changed.filter(({ factId }) => !this.#created.has(factId)));
    const inserted = await tx.insert(changed.filter(({ factId }) => this.#created.has(factId)));
    const written = [...replaced, ...inserted].map((fact) => [fact.factId, fact] as const);
    return new Map([...this.#stored, ...written]);
  }

  #timelineOf(fact: FactDraft): Map<string, FactDraft> {
    const key = timelineKey(fact);
    const timeline = this.#timelines.get(key) ?? new Map<string, FactDraft>();
    this.#timelines.set(key, timeline);
    return timeline;
  }
}

function inList<T>(isList: boolean, index: number, work: () => T): T {
  return isList ? numbered('facts', index, work) : work();
}

function nonNull(fact: Fact | undefined): Fact {
  if (fact === undefined) throw new Error('A fact is gone within its own transaction.');
  return fact;
}
