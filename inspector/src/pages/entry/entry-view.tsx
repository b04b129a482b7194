/** All about one memory: what it says, where it lies, what it was, where it comes from, how it fades, what is like it. */

import type { VNode } from 'preact';
import type { OperationOutput } from '../../../../src/operations/table.ts';
import { useAnswer } from '../../api/use-answer.ts';
import {
  KindBadge,
  LayerBadge,
  scopeText,
  SensitivityBadge,
  StatusBadge,
  Tag,
  TrustBadge,
} from '../../components/badges.tsx';
import { ErrorPanel } from '../../components/error-panel.tsx';
import { LongText } from '../../components/long-text.tsx';
import { Skeleton } from '../../components/skeleton.tsx';
import { Time } from '../../components/time.tsx';
import { EntryActions } from './entry-actions.tsx';
import { EntryDecay } from './entry-decay.tsx';
import { EntryLineage } from './entry-lineage.tsx';
import { EntryNeighbours } from './entry-neighbours.tsx';
import { EntryProperties } from './entry-properties.tsx';
import { EntryVersions } from './entry-versions.tsx';

export type Versions = OperationOutput<'versions'>['versions'];

interface EntryViewProps {
  readonly id: string;
  /** By what else has a heading on the page. */
  readonly heading: 'h1' | 'h2';
  /** When it is there no more. */
  readonly onGone: () => void;
}

export function EntryView({ id, heading: Heading, onGone }: EntryViewProps): VNode {
  // The history begins with the present. Reading it does not count as an access, and looking should not change what one sees.
  const { data, error, reload } = useAnswer(`versions ${id}`, (memory) => memory.versions({ id }));
  if (error !== undefined) {
    return (
      <div class="entry">
        <Heading class="visually-hidden">Memory</Heading>
        <ErrorPanel error={error} onRetry={reload} />
      </div>
    );
  }
  const memory = data?.versions[0]?.memory;
  if (data === undefined || memory === undefined) {
    return (
      <div class="entry">
        <Heading class="visually-hidden">Memory</Heading>
        <Skeleton rows={4} />
        <Skeleton rows={3} kind="card" />
      </div>
    );
  }
  return (
    <article class="entry" aria-label="Memory">
      <header class="entry-head">
        <div class="meta-row">
          <LayerBadge layer={memory.layer} />
          <KindBadge kind={memory.kind} />
          <StatusBadge status={memory.status} />
          <SensitivityBadge sensitivity={memory.sensitivity} />
          <TrustBadge trust={memory.trust} />
          <span>{scopeText(memory)}</span>
          <Time at={memory.createdAt} />
        </div>
        <LongText as={Heading} class="entry-content" text={memory.content} />
        {memory.tags.length > 0 && (
          <div class="meta-row">
            {memory.tags.map((tag) => (
              <Tag key={tag}>{tag}</Tag>
            ))}
          </div>
        )}
        <EntryActions memory={memory} onGone={onGone} />
      </header>
      <EntryProperties memory={memory} />
      <EntryVersions versions={data.versions} />
      <EntryLineage memory={memory} />
      <EntryDecay id={id} />
      <EntryNeighbours id={id} />
    </article>
  );
}
