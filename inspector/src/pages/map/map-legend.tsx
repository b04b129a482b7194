/** Which colour is what, and how many: each can be taken alone. */

import type { VNode } from 'preact';
import { queryListOf, setQuery } from '../../app/location.ts';
import { GROUPS, groupOf, type Colouring, type MapPoint } from './map-points.ts';

const numbers = new Intl.NumberFormat();

export function MapLegend({
  points,
  colouring,
}: {
  readonly points: readonly MapPoint[];
  readonly colouring: Colouring;
}): VNode {
  const counts = new Map<string, number>();
  for (const point of points) counts.set(groupOf(point, colouring), (counts.get(groupOf(point, colouring)) ?? 0) + 1);
  const only = queryListOf('only');
  return (
    <fieldset class="legend map-legend">
      <legend class="visually-hidden">Only these</legend>
      {GROUPS[colouring]
        .filter((group) => counts.has(group))
        .map((group) => (
          <label class={`chip ${classOf(colouring, group)}`} key={group}>
            <input
              type="checkbox"
              checked={only.includes(group)}
              onChange={({ currentTarget }) => {
                const chosen = GROUPS[colouring].filter((one) =>
                  one === group ? currentTarget.checked : only.includes(one),
                );
                setQuery({ only: chosen.join(',') });
              }}
            />
            <span class="legend-dot" /> {group} <b class="numeric">{numbers.format(counts.get(group) ?? 0)}</b>
          </label>
        ))}
      <span class="quiet legend-hint">Near each other: alike in meaning</span>
    </fieldset>
  );
}

function classOf(colouring: Colouring, group: string): string {
  return colouring === 'age' ? `age-${GROUPS.age.indexOf(group)}` : `${colouring}-${group}`;
}
