/** The exact block that an agent is given. Each line of memory leads to what it came from. */

import type { VNode } from 'preact';
import type { TurnContextOutput } from '../../../../src/domain/turn.ts';
import { hrefWith, queryOf } from '../../app/location.ts';
import { CopyButton } from '../../components/copy-button.tsx';
import { Panel } from '../../components/panel.tsx';
import { blockLines, type BlockLine } from './block-lines.ts';

export function TurnBlock({ turn }: { readonly turn: TurnContextOutput }): VNode {
  return (
    <Panel title="What the agent is given" aside={<CopyButton text={turn.prompt} label="Copy the block" />}>
      <div class="turn-block" role="group" aria-label="The block">
        {blockLines(turn).map((line, at) => (
          <Line line={line} key={at} />
        ))}
      </div>
    </Panel>
  );
}

function Line({ line }: { readonly line: BlockLine }): VNode {
  const { text, part, section, taken } = line;
  const kind = `turn-line turn-${part}${section === undefined ? '' : ` section-${section}`}`;
  if (taken === undefined) return <div class={kind}>{text === '' ? '\u200b' : text}</div>;
  const { score, tokens } = taken;
  const id = section === 'facts' ? undefined : taken.id;
  const gutter = score === undefined ? `${tokens} t` : `${score.toFixed(2)} · ${tokens} t`;
  if (id === undefined) {
    return (
      <div class={kind} data-gutter={gutter}>
        {text}
      </div>
    );
  }
  return (
    <a
      class={kind}
      href={hrefWith({ entry: id })}
      data-gutter={gutter}
      title={`${score === undefined ? '' : `Score ${score.toFixed(2)}, `}${tokens} tokens`}
      {...(queryOf('entry') === id && { 'aria-current': 'true' as const })}
    >
      {text}
    </a>
  );
}
