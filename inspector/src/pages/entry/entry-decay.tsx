/** How often a memory was used, and how it fades. */

import type { VNode } from 'preact';
import type { OperationOutput } from '../../../../src/operations/table.ts';
import { useAnswer } from '../../api/use-answer.ts';
import { AccessTimeline } from '../../components/access-timeline.tsx';
import { DecayCurve } from '../../components/decay-curve.tsx';
import { AnswerPanel } from '../../components/panel.tsx';
import { Time } from '../../components/time.tsx';

type Decay = OperationOutput<'decay'>;

const WHY_NOT: Readonly<Record<NonNullable<Decay['reason']>, string>> = {
  off: 'Decay is off: nothing fades.',
  exempt: 'Its layer is exempt from decay.',
  archived: 'It is archived: what is put away does not fade.',
  context: 'A context holds it, which has a measure of its own.',
};

export function EntryDecay({ id }: { readonly id: string }): VNode {
  const answer = useAnswer(`decay ${id}`, (memory) => memory.decay({ id }));
  return (
    <AnswerPanel title="Use and decay" answer={answer} rows={6}>
      {(decay) => (
        <>
          <dl class="properties">
            <dt>Read</dt>
            <dd>
              {decay.accessCount === 0 ? 'never' : `${decay.accessCount} ${decay.accessCount === 1 ? 'time' : 'times'}`}
              {decay.lastAccessedAt !== undefined && (
                <>
                  , last <Time at={decay.lastAccessedAt} />
                </>
              )}
            </dd>
            <dt>Relevance</dt>
            <dd class="numeric">
              {decay.currentRelevance.toFixed(2)} of {decay.relevance.toFixed(2)}
            </dd>
            {decay.decayedAt !== undefined && (
              <>
                <dt>Decayed</dt>
                <dd>
                  <Time at={decay.decayedAt} />
                </dd>
              </>
            )}
            {decay.belowThresholdAt !== undefined && (
              <>
                <dt>To be archived</dt>
                <dd>
                  <Time at={decay.belowThresholdAt} />
                </dd>
              </>
            )}
          </dl>
          <AccessTimeline times={decay.accesses} count={decay.accessCount} now={decay.now} />
          {decay.isOn ? <DecayCurve decay={decay} /> : <p class="quiet">{WHY_NOT[decay.reason ?? 'off']}</p>}
        </>
      )}
    </AnswerPanel>
  );
}
