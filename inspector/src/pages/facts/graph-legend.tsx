/** Which colour is what: the type of the facts, or the layer that they lie in. */

import type { VNode } from 'preact';
import { setQuery } from '../../app/location.ts';
import { Choice } from '../../components/fields.tsx';
import type { FactGraph, FactNode } from './fact-graph.ts';

const COLOURINGS = ['type', 'layer'] as const;
type By = (typeof COLOURINGS)[number];

/** Enough to be told apart. What comes after is grey. */
const TYPE_COLOURS = 7;
const OTHER = '--line-strong';

export interface GraphColouring {
  readonly by: By;
  /** The most frequent first, each with its colour as the stylesheet names it. */
  readonly groups: readonly (readonly [name: string, token: string])[];
  readonly tokenOf: (node: FactNode) => string;
}

export function colouringOf({ nodes }: FactGraph, by: By): GraphColouring {
  const groupOf = ({ layer, factType }: FactNode): string => (by === 'layer' ? layer : factType);
  const groups = [...Map.groupBy(nodes, groupOf)]
    .toSorted(([, one], [, other]) => other.length - one.length)
    .map(
      ([name], at) => [name, by === 'layer' ? `--layer-${name}` : at < TYPE_COLOURS ? `--group-${at}` : OTHER] as const,
    );
  const tokens = new Map(groups);
  return { by, groups, tokenOf: (node) => tokens.get(groupOf(node)) ?? OTHER };
}

export function GraphLegend({
  colouring: { by, groups },
  isWalk,
}: {
  readonly colouring: GraphColouring;
  readonly isWalk: boolean;
}): VNode {
  const shown = groups.filter(([, token]) => token !== OTHER);
  return (
    <div class="legend">
      <Choice
        label="Colour by"
        options={COLOURINGS}
        chosen={by}
        onChange={(next) => setQuery({ colour: next === 'type' ? undefined : next }, { replace: true })}
      />
      <ul class="legend-groups" aria-label="Colours">
        {shown.map(([name, token]) => (
          <li key={name}>
            <span class="legend-dot" style={{ background: `var(${token})` }} /> {name}
          </li>
        ))}
        {shown.length < groups.length && <li class="quiet">others in grey</li>}
        <li class="quiet">{isWalk ? '○ not opened yet: press it twice' : 'pale: at other times'}</li>
      </ul>
    </div>
  );
}
