/** What is within so many hops of a subject, and the facts in between. */

import { DEFAULT_NEIGHBOURS, type Fact, type NeighboursInput, type NeighboursOutput } from '../../domain/fact.ts';
import type { Principal } from '../../domain/principal.ts';
import type { Dependencies } from '../dependencies.ts';
import { groundOf } from './ground.ts';
import { Budget, Walk } from './walk.ts';

export async function neighbours(
  dependencies: Dependencies,
  principal: Principal,
  input: NeighboursInput,
  budget = new Budget(),
): Promise<NeighboursOutput> {
  const { subject, hops = 1, direction = 'both', limit = DEFAULT_NEIGHBOURS } = input;
  const walk = new Walk(dependencies.facts, principal, groundOf(dependencies, principal, input), budget);
  const distances = new Map([[subject, 0]]);
  const facts = new Map<string, Fact>();
  let frontier = [subject];
  for (let distance = 1; distance <= hops && frontier.length > 0; distance += 1) {
    const reached = new Set<string>();
    for (const { node, fact } of await walk.hops(frontier, direction)) {
      if (!distances.has(node)) {
        // The subject itself does not count.
        if (distances.size > limit) {
          budget.isTruncated = true;
          continue;
        }
        distances.set(node, distance);
        reached.add(node);
      }
      facts.set(fact.factId, fact);
    }
    frontier = [...reached];
  }
  distances.delete(subject);
  const nodes = Array.from(distances, ([node, distance]) => ({ node, distance })).toSorted(byDistance);
  return { subject, nodes, facts: [...facts.values()], truncated: budget.isTruncated };
}

interface Reached {
  readonly node: string;
  readonly distance: number;
}

function byDistance(one: Reached, other: Reached): number {
  return one.distance - other.distance || (one.node < other.node ? -1 : 1);
}
