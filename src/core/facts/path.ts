/** The shortest path of facts from one subject to another: searched from both ends, the narrower one first. */

import { MAX_HOPS, type Direction, type Fact, type PathInput, type PathOutput } from '../../domain/fact.ts';
import type { Principal } from '../../domain/principal.ts';
import type { Dependencies } from '../dependencies.ts';
import { groundOf } from './ground.ts';
import { Budget, Walk, type Hop } from './walk.ts';

const REVERSED: { readonly [Way in Direction]: Direction } = { out: 'in', in: 'out', both: 'both' };

/** A hop takes at most half of the remaining budget, so that the other end has its turn even if this one is a hub. */
const SHARE = 0.5;

/** What is known from one end: how each node was reached, null for the end itself; and those reached last. */
interface Side {
  readonly direction: Direction;
  readonly reached: Map<string, Hop | null>;
  frontier: readonly string[];
}

export async function path(
  dependencies: Dependencies,
  principal: Principal,
  input: PathInput,
  budget = new Budget(),
): Promise<PathOutput> {
  const { from, to, maxHops = MAX_HOPS, direction = 'both' } = input;
  if (from === to) return { path: [], truncated: false };
  const walk = new Walk(dependencies.facts, principal, groundOf(dependencies, principal, input), budget);
  const [start, end] = [sideOf(from, direction), sideOf(to, REVERSED[direction])];
  for (let hops = 1; hops <= maxHops; hops += 1) {
    const [side, other] = start.frontier.length <= end.frontier.length ? [start, end] : [end, start];
    const meeting = await advance(walk, side, other);
    if (meeting !== undefined) {
      const facts = [...factsTo(start, meeting).toReversed(), ...factsTo(end, meeting)];
      return { path: facts, truncated: budget.isTruncated };
    }
    // Dead end: no path, unless something was left out.
    if (side.frontier.length === 0) break;
  }
  return { path: null, truncated: budget.isTruncated };
}

function sideOf(node: string, direction: Direction): Side {
  return { direction, reached: new Map([[node, null]]), frontier: [node] };
}

/**
 * Goes one hop further on a side; gives a node where both sides meet. They meet in the first hop in which they can: as long
 * as they had not met, no path was as short as both have come together.
 */
async function advance(walk: Walk, side: Side, other: Side): Promise<string | undefined> {
  const fresh: string[] = [];
  for (const hop of await walk.hops(side.frontier, side.direction, SHARE)) {
    if (side.reached.has(hop.node)) continue;
    side.reached.set(hop.node, hop);
    if (other.reached.has(hop.node)) return hop.node;
    fresh.push(hop.node);
  }
  side.frontier = fresh;
  return undefined;
}

/** From the node back to the end of this side. */
function factsTo({ reached }: Side, node: string): Fact[] {
  const facts: Fact[] = [];
  for (let hop = reached.get(node); hop; hop = reached.get(hop.from)) facts.push(hop.fact);
  return facts;
}
