/** One result: what it says, where it lies, and why it scored as it did. */

import type { VNode } from 'preact';
import { layerPrecedence } from '../../../../src/domain/scope.ts';
import type { OperationOutput } from '../../../../src/operations/table.ts';
import { hrefWith } from '../../app/location.ts';
import {
  KindBadge,
  LayerBadge,
  scopeText,
  SensitivityBadge,
  StatusBadge,
  Tag,
  TrustBadge,
} from '../../components/badges.tsx';
import { MarkedText } from '../../components/marked-text.tsx';
import { SignalBar, SignalNumbers, type Reach } from '../../components/signal-bar.tsx';
import { Time } from '../../components/time.tsx';
import { moveText, type Move } from './moves.ts';

export type Result = OperationOutput<'search'>['results'][number];

interface ResultCardProps {
  readonly result: Result;
  readonly place: number;
  readonly reach: Reach;
  readonly isSelected: boolean;
  /** That more specific layers come first, whatever the score. */
  readonly isByPrecedence: boolean;
  readonly move?: Move | undefined;
}

export function ResultCard({ result, place, reach, isSelected, isByPrecedence, move }: ResultCardProps): VNode {
  const { memory, score, signals, matched, similarity } = result;
  return (
    <li class="result" data-place={place} {...(isSelected && { 'data-selected': '' })}>
      <div class="result-rank">
        <span class="result-score numeric" title={`Score ${score.toFixed(4)}`}>
          {score.toFixed(2)}
        </span>
        <span class="quiet numeric">#{place}</span>
        {move !== undefined && <span class={`move move-${move.kind}`}>{moveText(move)}</span>}
      </div>
      <div class="result-body">
        <a
          class="result-link memory-text"
          href={hrefWith({ entry: memory.id })}
          {...(isSelected && { 'aria-current': 'true' })}
        >
          <MarkedText text={memory.content} words={matched} />
        </a>
        <div class="meta-row">
          <LayerBadge layer={memory.layer} />
          <KindBadge kind={memory.kind} />
          <StatusBadge status={memory.status} />
          <SensitivityBadge sensitivity={memory.sensitivity} />
          <TrustBadge trust={memory.trust} />
          <span>{scopeText(memory)}</span>
          {memory.tags.map((tag) => (
            <Tag key={tag}>{tag}</Tag>
          ))}
          <Time at={memory.createdAt} />
          {isByPrecedence && <span class="numeric">precedence {layerPrecedence(memory.layer)}</span>}
          {similarity !== null && <span class="numeric">cosine {similarity.toFixed(2)}</span>}
        </div>
        <SignalBar signals={signals} reach={reach} />
        <SignalNumbers signals={signals} />
      </div>
    </li>
  );
}
