/** What was added, removed and changed between two states of a context. */

import type { VNode } from 'preact';
import type { CompareSnapshotOutput, ListedState } from '../../../../src/domain/context-snapshot.ts';
import type { Answer } from '../../api/use-answer.ts';
import { DiffText } from '../../components/diff-text.tsx';
import { ErrorPanel } from '../../components/error-panel.tsx';
import { Skeleton } from '../../components/skeleton.tsx';

export function SnapshotDifferences({ answer }: { readonly answer: Answer<CompareSnapshotOutput> }): VNode {
  const { data, error, reload } = answer;
  if (error !== undefined) return <ErrorPanel error={error} onRetry={reload} />;
  if (data === undefined) return <Skeleton rows={3} />;
  const { added, removed, changed, unchangedCount } = data;
  return (
    <>
      <p class="quiet numeric" aria-live="polite">
        {added.length} added, {removed.length} removed, {changed.length} changed, {unchangedCount} as they were
      </p>
      <ul class="differences">
        {changed.map(({ key, before, after }) => (
          <li key={key}>
            <p class="meta-row">
              <span class="badge work-paused">changed</span> <code>{key}</code>
              <span class="numeric">
                version {before.version} → {after.version}
              </span>
              {before.isArchived !== after.isArchived && <span>{after.isArchived ? 'archived' : 'taken back'}</span>}
            </p>
            <DiffText before={before.content ?? GONE} after={after.content ?? GONE} />
          </li>
        ))}
        {added.map((state) => (
          <Listed state={state} word="added" key={state.key} />
        ))}
        {removed.map((state) => (
          <Listed state={state} word="removed" key={state.key} />
        ))}
      </ul>
    </>
  );
}

const GONE = 'deleted for good: its text is gone';

function Listed({ state, word }: { readonly state: ListedState; readonly word: 'added' | 'removed' }): VNode {
  const { key, content, isArchived } = state;
  return (
    <li>
      <p class="meta-row">
        <span class={`badge work-${word === 'added' ? 'done' : 'failed'}`}>{word}</span> <code>{key}</code>
        {isArchived && <span>archived</span>}
        {content === null && <span>{GONE}</span>}
      </p>
      {content !== null && <p class="memory-text">{word === 'added' ? <ins>{content}</ins> : <del>{content}</del>}</p>}
    </li>
  );
}
