/** How much is remembered, by layer and kind: where to begin. */

import type { VNode } from 'preact';
import { LAYERS } from '../../../../src/domain/scope.ts';
import { KINDS } from '../../../../src/domain/kind.ts';
import type { OperationOutput } from '../../../../src/operations/table.ts';
import { useAnswer } from '../../api/use-answer.ts';
import { ROOT } from '../../app/location.ts';
import { KindBadge, LayerBadge } from '../../components/badges.tsx';
import { AnswerPanel } from '../../components/panel.tsx';

type Groups = OperationOutput<'stats'>['groups'];

const numbers = new Intl.NumberFormat();

function countOf(groups: Groups, part: Partial<Groups[number]>): number {
  const names = Object.keys(part) as (keyof typeof part)[];
  return groups
    .filter((group) => names.every((name) => group[name] === part[name]))
    .reduce((sum, { count }) => sum + count, 0);
}

export function MemoryOverview(): VNode {
  const answer = useAnswer('stats', (memory) => memory.stats({}));
  return (
    <AnswerPanel
      title="Yours in memory"
      answer={answer}
      rows={2}
      aside={({ total }) => <b class="numeric">{numbers.format(total)}</b>}
    >
      {({ groups }) => (
        <div class="overview">
          <ul>
            {LAYERS.filter((layer) => countOf(groups, { layer }) > 0).map((layer) => (
              <li key={layer}>
                <a href={`${ROOT}/browse?layer=${layer}`}>
                  <LayerBadge layer={layer} /> <b class="numeric">{numbers.format(countOf(groups, { layer }))}</b>
                </a>
              </li>
            ))}
          </ul>
          <ul>
            {KINDS.filter((kind) => countOf(groups, { kind }) > 0).map((kind) => (
              <li key={kind}>
                <KindBadge kind={kind} /> <span class="numeric">{numbers.format(countOf(groups, { kind }))}</span>
              </li>
            ))}
            <li>archived {numbers.format(countOf(groups, { status: 'archived' }))}</li>
          </ul>
        </div>
      )}
    </AnswerPanel>
  );
}
