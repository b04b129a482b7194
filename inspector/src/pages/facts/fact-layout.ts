/** Lays a graph out, a little in every frame: whoever looks around meanwhile is not held up. */

import { forceCollide, forceLink, forceManyBody, forceSimulation, forceX, forceY, type Simulation } from 'd3-force';
import type { FactEdge, FactGraph, FactNode } from './fact-graph.ts';

/** Of each frame of 16 ms. */
const BUDGET_MS = 9;
const SMALL = 300;

export interface FactLayout {
  /** Moves everything for a while; false once it rests. */
  step(): boolean;
  /** Begins to move again, after something was dragged. */
  wake(): void;
}

export function layOut({ nodes, edges }: FactGraph, isNew: boolean): FactLayout {
  const isSmall = nodes.length <= SMALL;
  const simulation: Simulation<FactNode, undefined> = forceSimulation([...nodes])
    .stop()
    .alphaDecay(isSmall ? 0.03 : 0.045)
    .force(
      'charge',
      forceManyBody<FactNode>()
        .strength(isSmall ? -420 : -70)
        .distanceMax(isSmall ? 900 : 500)
        .theta(isSmall ? 0.8 : 1.1),
    )
    .force(
      'link',
      forceLink<FactNode, { source: FactNode; target: FactNode }>(linksOf(edges)).distance(isSmall ? 95 : 38),
    )
    .force('x', forceX<FactNode>().strength(0.05))
    .force('y', forceY<FactNode>().strength(isSmall ? 0.07 : 0.05));
  if (isSmall) simulation.force('collide', forceCollide<FactNode>(26));
  simulation.alpha(isNew ? 1 : 0.5);
  return {
    step: () => {
      const end = performance.now() + BUDGET_MS;
      do {
        if (simulation.alpha() < simulation.alphaMin()) return false;
        simulation.tick();
      } while (performance.now() < end);
      return true;
    },
    wake: () => void simulation.alpha(Math.max(simulation.alpha(), 0.25)),
  };
}

/** A copy: d3 writes an index into what it is given. */
function linksOf(edges: readonly FactEdge[]): { source: FactNode; target: FactNode }[] {
  return edges.filter(({ source, target }) => source !== target).map(({ source, target }) => ({ source, target }));
}
