/** Where a memory comes from, and what was made of it. */

import type { VNode } from 'preact';
import type { Entry } from '../../../../src/domain/entry.ts';
import type { OperationOutput } from '../../../../src/operations/table.ts';
import { useAnswer } from '../../api/use-answer.ts';
import { memoryHref } from '../../app/memory-href.ts';
import { KindBadge, LayerBadge, StatusBadge } from '../../components/badges.tsx';
import { AnswerPanel } from '../../components/panel.tsx';
import { Time } from '../../components/time.tsx';

type Lineage = OperationOutput<'lineage'>;
type LineageNode = Lineage['nodes'][number];

export function EntryLineage({ memory: entry }: { readonly memory: Entry }): VNode {
  const answer = useAnswer(`lineage ${entry.id}`, (memory) => memory.lineage({ id: entry.id }));
  return (
    <AnswerPanel title="Provenance" answer={answer} rows={2}>
      {(lineage) => <LineageLists entry={entry} lineage={lineage} />}
    </AnswerPanel>
  );
}

function LineageLists({ entry, lineage }: { readonly entry: Entry; readonly lineage: Lineage }): VNode {
  const from = lineage.nodes.filter(({ depth }) => depth < 0).toSorted((a, b) => b.depth - a.depth);
  const into = lineage.nodes.filter(({ depth }) => depth > 0).toSorted((a, b) => a.depth - b.depth);
  const { model, cost } = entry.provenance ?? {};
  return (
    <div class="lineage">
      <LineageList title="Made from" nodes={from} lineage={lineage} none={sourceText(entry)} />
      <LineageList title="Became" nodes={into} lineage={lineage} none="Nothing was made of it." />
      {model !== undefined && (
        <p class="quiet">
          Written by {model}
          {cost !== undefined && `, for ${cost.inputTokens} + ${cost.outputTokens} tokens`}.
        </p>
      )}
      {lineage.hiddenCount > 0 && <p class="quiet">{lineage.hiddenCount} more are gone, or not yours to see.</p>}
      {lineage.isTruncated && <p class="quiet">It goes on further than is shown here.</p>}
    </div>
  );
}

function sourceText({ source }: Entry): string {
  if (source === undefined) return 'It was written as it is.';
  return `It was written as it is; source: ${[source.type, source.reference].filter((part) => part !== undefined).join(' · ')}.`;
}

interface LineageListProps {
  readonly title: string;
  readonly nodes: readonly LineageNode[];
  readonly lineage: Lineage;
  readonly none: string;
}

function LineageList({ title, nodes, lineage, none }: LineageListProps): VNode {
  return (
    <section>
      <h3>{title}</h3>
      {nodes.length === 0 ? (
        <p class="quiet">{none}</p>
      ) : (
        <ul class="entry-list">
          {nodes.map((node) => (
            <li key={node.id} style={{ paddingLeft: `${(Math.abs(node.depth) - 1) * 1.25}rem` }}>
              {node.type === 'memory' ? <a href={memoryHref(node.id)}>{node.label}</a> : <span>{node.label}</span>}
              <div class="meta-row">
                <span>{relationOf(node, lineage)}</span>
                <LayerBadge layer={node.layer} />
                {node.kind === undefined ? <span class="tag">fact</span> : <KindBadge kind={node.kind} />}
                {node.status !== undefined && <StatusBadge status={node.status} />}
                <Time at={node.createdAt} />
              </div>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

/** How it hangs on to what is nearer to the memory that is shown. */
function relationOf({ id, depth }: LineageNode, { edges }: Lineage): string {
  const own = edges.filter((edge) => (depth < 0 ? edge.from === id : edge.to === id));
  return [...new Set(own.map(({ relation }) => relation))].join(', ');
}
