/** The receipt of a turn: what was left out and why, and by which settings. */

import type { VNode } from 'preact';
import type { TurnContextOutput, TurnLeftOut, TurnReceipt } from '../../../../src/domain/turn.ts';
import { useAnswer } from '../../api/use-answer.ts';
import { hrefWith } from '../../app/location.ts';
import { KindBadge, LayerBadge, SensitivityBadge } from '../../components/badges.tsx';
import { Panel } from '../../components/panel.tsx';
import { PART_NAMES } from './turn-budget.tsx';

type Reason = Exclude<keyof TurnReceipt['counts'], 'taken'>;

const REASONS: Readonly<Record<Reason, string>> = {
  budget: 'did not fit into the budget',
  sensitivity: 'too sensitive for a prompt',
  trust: 'not trusted enough for a prompt',
  duplicate: 'says the same as something else',
  source: 'a memory that was made of it is there',
  ended: 'no longer holds',
  absent: 'not in working memory',
  empty: 'nothing in it to show',
  limit: 'past the limit',
};

const LABELLED = 12;

export function TurnReceiptPanel({ turn }: { readonly turn: TurnContextOutput }): VNode {
  const { receipt } = turn;
  const { taken, ...others } = receipt.counts;
  const reasons = (Object.keys(REASONS) as Reason[]).filter((reason) => others[reason] > 0);
  return (
    <Panel
      title="Receipt"
      aside={
        <span class="quiet numeric">
          {taken} taken, {reasons.reduce((sum, reason) => sum + others[reason], 0)} left out
        </span>
      }
    >
      <div class="receipt">
        {reasons.length === 0 && <p class="quiet">Nothing that passed the threshold was left out.</p>}
        {reasons.map((reason) => (
          <LeftOut reason={reason} count={others[reason]} items={receipt.leftOut} key={reason} />
        ))}
        <Settings settings={receipt.settings} />
      </div>
    </Panel>
  );
}

interface LeftOutProps {
  readonly reason: Reason;
  readonly count: number;
  readonly items: readonly TurnLeftOut[];
}

function LeftOut({ reason, count, items }: LeftOutProps): VNode {
  return (
    <section aria-label={`Left out: ${REASONS[reason]}`}>
      <h3>
        <span class="numeric">{count}</span> {REASONS[reason]}
      </h3>
      <ul class="receipt-list">
        {items
          .filter((item) => item.reason === reason)
          .map((item, at) => (
            <LeftOutItem item={item} isLabelled={at < LABELLED} key={item.id ?? item.key ?? at} />
          ))}
      </ul>
    </section>
  );
}

function LeftOutItem({ item, isLabelled }: { readonly item: TurnLeftOut; readonly isLabelled: boolean }): VNode {
  const { id, key, kind, layer, score, section, sensitivity, tokens } = item;
  return (
    <li>
      {id !== undefined && section !== 'facts' && <MemoryLabel id={id} isLabelled={isLabelled} />}
      <div class="meta-row">
        <i class={`section-dot section-${section}`} />
        {PART_NAMES[section]}
        {key !== undefined && <code>{key}</code>}
        {layer !== undefined && <LayerBadge layer={layer} />}
        {kind !== undefined && <KindBadge kind={kind} />}
        {sensitivity !== undefined && <SensitivityBadge sensitivity={sensitivity} />}
        {score !== undefined && <span class="numeric">score {score.toFixed(2)}</span>}
        {tokens !== undefined && <span class="numeric">{tokens} tokens</span>}
        <SameAs item={item} />
      </div>
    </li>
  );
}

function SameAs({ item: { sameAs } }: { readonly item: TurnLeftOut }): VNode | null {
  if (sameAs === undefined) return null;
  if (sameAs === 'message') return <span>as the message itself</span>;
  if (sameAs === 'seen') return <span>as what the model has seen</span>;
  return (
    <span>
      as <a href={hrefWith({ entry: sameAs })}>this one</a>
    </span>
  );
}

/** The receipt names it by its id only. Versions are read, which counts as no access. */
function MemoryLabel({ id, isLabelled }: { readonly id: string; readonly isLabelled: boolean }): VNode {
  const { data } = useAnswer(isLabelled ? `label ${id}` : undefined, (memory) => memory.versions({ id }));
  const text = data?.versions[0]?.memory.content;
  return (
    <a class="receipt-label" href={hrefWith({ entry: id })}>
      {text ?? <code>{id}</code>}
    </a>
  );
}

function Settings({ settings }: { readonly settings: TurnReceipt['settings'] }): VNode {
  const { threshold, episodeThreshold, procedureThreshold, maxSensitivity, layers, kinds } = settings;
  return (
    <>
      <h3>Settings</h3>
      <dl class="properties">
        <dt>Layers</dt>
        <dd class="meta-row">
          {layers.length === 0 ? 'none were searched' : layers.map((layer) => <LayerBadge layer={layer} key={layer} />)}
        </dd>
        <dt>Kinds</dt>
        <dd class="meta-row">
          {kinds.map((kind) => (
            <KindBadge kind={kind} key={kind} />
          ))}
        </dd>
        <dt>Thresholds</dt>
        <dd class="numeric">
          memories {threshold}, turns {episodeThreshold}, procedures {settings.procedures ? procedureThreshold : 'off'}
        </dd>
        <dt>Limit</dt>
        <dd class="numeric">
          {settings.limit} of each, {settings.recentTurns} recent turns
        </dd>
        {maxSensitivity !== undefined && (
          <>
            <dt>Most sensitive</dt>
            <dd>{maxSensitivity}</dd>
          </>
        )}
      </dl>
    </>
  );
}
