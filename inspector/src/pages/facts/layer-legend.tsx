/** Which colour is which layer, and what an open circle means. */

import type { VNode } from 'preact';
import { LAYERS } from '../../../../src/domain/scope.ts';
import type { FactGraph } from './fact-graph.ts';

export function LayerLegend({ graph, isWalk }: { readonly graph: FactGraph; readonly isWalk: boolean }): VNode {
  const layers = new Set(graph.nodes.map(({ layer }) => layer));
  return (
    <ul class="legend" aria-label="Colours">
      {LAYERS.filter((layer) => layers.has(layer)).map((layer) => (
        <li class={`badge-plain layer-${layer}`} key={layer}>
          {layer}
        </li>
      ))}
      {isWalk && <li class="quiet">○ not yet opened: press it twice</li>}
      <li class="quiet legend-hint">Drag to move, scroll to zoom</li>
    </ul>
  );
}
