/** What a search looked at and did not give, and why. */

import type { VNode } from 'preact';
import type { OperationOutput } from '../../../../src/operations/table.ts';
import { hrefWith } from '../../app/location.ts';
import { KindBadge, LayerBadge } from '../../components/badges.tsx';

type LeftOut = NonNullable<OperationOutput<'search'>['leftOut']>;

const REASONS: Readonly<Record<keyof LeftOut['counts'], string>> = {
  threshold: 'below the threshold',
  decay: 'faded',
  sensitivity: 'too sensitive',
  trust: 'not trusted enough',
  duplicate: 'nearly the same as another',
  limit: 'past the limit',
};

export function LeftOutList({ leftOut }: { readonly leftOut: LeftOut }): VNode | null {
  const counted = Object.entries(leftOut.counts).filter(([, count]) => count > 0) as [
    keyof LeftOut['counts'],
    number,
  ][];
  if (counted.length === 0) return null;
  return (
    <details class="left-out">
      <summary>Left out: {counted.map(([reason, count]) => `${count} ${REASONS[reason]}`).join(', ')}</summary>
      <ul>
        {leftOut.memories.map(({ id, layer, kind, label, score, reason, duplicateOf }) => (
          <li key={id}>
            <span class="numeric quiet">{score.toFixed(2)}</span>
            <LayerBadge layer={layer} />
            <KindBadge kind={kind} />
            <a href={hrefWith({ entry: id })}>{label}</a>
            <span class="reason">
              {REASONS[reason]}
              {duplicateOf !== undefined && (
                <>
                  {' '}
                  (<a href={hrefWith({ entry: duplicateOf })}>which one</a>)
                </>
              )}
            </span>
          </li>
        ))}
      </ul>
      {leftOut.counts.sensitivity > 0 && <p class="quiet">What is too sensitive is counted and not shown.</p>}
    </details>
  );
}
