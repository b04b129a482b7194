/** What is nearest to a memory in meaning. */

import type { VNode } from 'preact';
import { identifiersOf } from '../../api/scope.ts';
import { useAnswer } from '../../api/use-answer.ts';
import { memoryHref } from '../../app/memory-href.ts';
import { KindBadge, LayerBadge } from '../../components/badges.tsx';
import { AnswerPanel } from '../../components/panel.tsx';
import { Time } from '../../components/time.tsx';

const SHOWN = 8;

export function EntryNeighbours({ id }: { readonly id: string }): VNode {
  const identifiers = identifiersOf();
  const answer = useAnswer(`neighbours ${id} ${JSON.stringify(identifiers)}`, (memory) =>
    memory.neighbours({ id, limit: SHOWN, ...(identifiers !== undefined && { identifiers }) }),
  );
  return (
    <AnswerPanel title="Nearest in meaning" answer={answer} rows={4}>
      {({ neighbours, hasEmbedding }) =>
        neighbours.length === 0 ? (
          <p class="quiet">
            {hasEmbedding ? 'Nothing else is within reach.' : 'It has no vector, so nothing can be compared.'}
          </p>
        ) : (
          <ul class="entry-list">
            {neighbours.map(({ memory, similarity, isNearDuplicate }) => (
              <li key={memory.id}>
                <a href={memoryHref(memory.id)}>{memory.content}</a>
                <div class="meta-row">
                  <meter min={0} max={1} value={similarity} aria-label="Similarity" />
                  <span class="numeric">{similarity.toFixed(2)}</span>
                  {isNearDuplicate && <span class="badge status-decayed">near-duplicate</span>}
                  <LayerBadge layer={memory.layer} />
                  <KindBadge kind={memory.kind} />
                  <Time at={memory.createdAt} />
                </div>
              </li>
            ))}
          </ul>
        )
      }
    </AnswerPanel>
  );
}
