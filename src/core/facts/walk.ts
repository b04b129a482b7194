/** Breadth-first search along facts: one hop at a time, within a budget. */

import type { Direction, Fact } from '../../domain/fact.ts';
import type { Principal } from '../../domain/principal.ts';
import type { EdgeQuery, FactStore } from '../../ports/fact-store.ts';

/** How many facts a walk may visit. The rest is left out, and the answer says so. */
const MAX_FACTS = 10_000;

export interface Hop {
  readonly node: string;
  /** The fact that leads there, and from where. */
  readonly fact: Fact;
  readonly from: string;
}

export type Ground = Pick<EdgeQuery, 'scopes' | 'predicates' | 'at'>;

/** How much a walk may still look at, and whether there was more. */
export class Budget {
  isTruncated = false;
  #left: number;

  constructor(facts: number = MAX_FACTS) {
    this.#left = facts;
  }

  get left(): number {
    return this.#left;
  }

  spend(facts: number): void {
    this.#left = Math.max(0, this.#left - facts);
  }
}

export class Walk {
  readonly #facts: FactStore;
  readonly #principal: Principal;
  readonly #ground: Ground;
  readonly #budget: Budget;

  constructor(facts: FactStore, principal: Principal, ground: Ground, budget: Budget) {
    this.#facts = facts;
    this.#principal = principal;
    this.#ground = ground;
    this.#budget = budget;
  }

  /**
   * Every way from one of the nodes to a neighbour, by the names of both and then by fact; for no more than a share of what
   * is left.
   */
  async hops(nodes: readonly string[], direction: Direction, share = 1): Promise<Hop[]> {
    const limit = Math.ceil(this.#budget.left * share);
    if (limit === 0) this.#budget.isTruncated = true;
    if (nodes.length === 0 || limit === 0) return [];
    const found = await this.#facts.edges(this.#principal, { ...this.#ground, nodes, direction, limit: limit + 1 });
    if (found.length > limit) this.#budget.isTruncated = true;
    this.#budget.spend(found.length);
    const among = new Set(nodes);
    const facts = new Map(found.slice(0, limit).map((fact) => [fact.factId, fact]));
    return [...facts.values()].flatMap((fact) => hopsAlong(fact, among, direction)).toSorted(byName);
  }
}

function hopsAlong(fact: Fact, among: ReadonlySet<string>, direction: Direction): Hop[] {
  const { subject, object } = fact;
  return [
    ...(direction !== 'in' && among.has(subject) ? [{ node: object, fact, from: subject }] : []),
    ...(direction !== 'out' && among.has(object) ? [{ node: subject, fact, from: object }] : []),
  ];
}

function byName(one: Hop, other: Hop): number {
  const [a, b] = [one, other].map(({ from, node, fact }) => [from, node, fact.factId]) as [string[], string[]];
  const at = a.findIndex((name, index) => name !== b[index]);
  return at < 0 ? 0 : (a[at] ?? '') < (b[at] ?? '') ? -1 : 1;
}
