/** Facts in a plain list, and every question answered by going through all of them: to hold the real thing against. */

import type { OperationInput, OperationOutput } from '../operations/table.ts';
import type { SeededRandom } from './seeded-random.ts';

type Fact = NonNullable<OperationOutput<'facts.get'>>;
type AddInput = OperationInput<'facts.add'>;
type Query = Omit<OperationInput<'facts.list'>, 'limit' | 'cursor'>;
type Walk = Pick<OperationInput<'facts.path'>, 'direction' | 'predicates' | 'asOf'>;

const TERMS = ['factType', 'subject', 'predicate', 'object'] as const;
const VALUES = ['a', 'b', 'c', "d'|%"];
const LAYERS = ['user', 'agent', 'company'] as const;

export class FactModel {
  readonly #facts = new Map<string, Fact>();

  /** As they stand now. */
  learn(...facts: readonly Fact[]): void {
    for (const fact of facts) this.#facts.set(fact.factId, fact);
  }

  someInput(random: SeededRandom, days: readonly string[]): AddInput {
    const [from, to] = [random.below(days.length), random.below(days.length * 3)];
    return {
      factType: random.pick(VALUES),
      subject: random.pick(VALUES),
      predicate: random.pick(VALUES),
      object: random.pick(VALUES),
      layer: random.pick(LAYERS),
      confidence: random.below(4) / 3,
      validFrom: `${days[from]}T00:00:00.000Z`,
      ...(to > from && to < days.length && { validTo: `${days[to]}T00:00:00.000Z` }),
      cardinality: random.pick(['one', 'many'] as const),
    };
  }

  someQuery(random: SeededRandom, days: readonly string[]): Query {
    const terms = TERMS.filter(() => random.below(3) === 0).map((term) => [term, random.pick(VALUES)]);
    const time = random.below(3);
    return {
      ...Object.fromEntries(terms),
      ...(random.below(4) === 0 && { layer: random.pick(LAYERS) }),
      ...(random.below(4) === 0 && { minConfidence: random.below(4) / 3 }),
      ...(time === 0 && { asOf: `${random.pick(days)}T12:00:00.000Z` }),
      ...(time === 1 && { includeClosed: true }),
    };
  }

  list({ layer, minConfidence = 0, asOf, includeClosed, ...terms }: Query, now: number): Fact[] {
    const at = asOf === undefined ? now : Date.parse(asOf);
    return [...this.#facts.values()]
      .filter((fact) => TERMS.every((term) => terms[term] === undefined || fact[term] === terms[term]))
      .filter((fact) => (layer === undefined || fact.layer === layer) && fact.confidence >= minConfidence)
      .filter((fact) => includeClosed === true || holdsAt(fact, at))
      .toSorted(
        (a, b) =>
          b.confidence - a.confidence ||
          Date.parse(b.createdAt) - Date.parse(a.createdAt) ||
          (a.factId < b.factId ? 1 : -1),
      );
  }

  /** How many hops everything is away that can be reached. */
  distances(from: string, { direction = 'both', predicates, asOf }: Walk): Map<string, number> {
    const at = asOf === undefined ? Number.MAX_SAFE_INTEGER : Date.parse(asOf);
    const facts = [...this.#facts.values()].filter(
      (fact) => holdsAt(fact, at) && (predicates === undefined || predicates.includes(fact.predicate)),
    );
    const distances = new Map([[from, 0]]);
    for (const [node, distance] of distances) {
      for (const { subject, object } of facts) {
        if (direction !== 'in' && subject === node && !distances.has(object)) distances.set(object, distance + 1);
        if (direction !== 'out' && object === node && !distances.has(subject)) distances.set(subject, distance + 1);
      }
    }
    return distances;
  }
}

function holdsAt({ validFrom, validTo }: Fact, at: number): boolean {
  return Date.parse(validFrom) <= at && (validTo === null || Date.parse(validTo) > at);
}
