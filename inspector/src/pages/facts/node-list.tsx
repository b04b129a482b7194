/** Everything that facts are about, the most connected first: the graph for keyboards and screen readers. */

import type { VNode } from 'preact';
import { LayerBadge } from '../../components/badges.tsx';
import { VirtualList } from '../../components/virtual-list.tsx';
import type { FactNode } from './fact-graph.ts';
import { nodeHref } from './fact-walk.ts';

const ROW_HEIGHT = 36;

interface NodeListProps {
  readonly nodes: readonly FactNode[];
  /** How many facts name it at the time one looks at. */
  readonly countOf: (name: string) => number;
}

export function NodeList({ nodes, countOf }: NodeListProps): VNode {
  return (
    <VirtualList
      label="Subjects and objects"
      count={nodes.length}
      rowHeight={ROW_HEIGHT}
      row={(index) => {
        const node = nodes[index];
        if (node === undefined) return null;
        const count = countOf(node.name);
        return (
          <a class="node-row fact-link" href={nodeHref(node.name)}>
            <span class="node-name">{node.name}</span>
            <LayerBadge layer={node.layer} />
            <span class="numeric quiet" title={count === 1 ? '1 fact' : `${count} facts`}>
              {count}
              <span class="visually-hidden"> facts</span>
            </span>
          </a>
        );
      }}
    />
  );
}
