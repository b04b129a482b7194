/** Snapshots of a context, and what changed between two of them. */

import type { VNode } from 'preact';
import type { Snapshot } from '../../../../src/domain/context-snapshot.ts';
import { ask } from '../../api/ask.ts';
import { changed } from '../../api/changes.ts';
import { useAnswer } from '../../api/use-answer.ts';
import { confirm } from '../../app/confirm.tsx';
import { queryOf, setQuery } from '../../app/location.ts';
import { toast, toastError } from '../../app/toasts.tsx';
import { Select } from '../../components/fields.tsx';
import { Icon } from '../../components/icon.tsx';
import { AnswerPanel } from '../../components/panel.tsx';
import { exactTime, Time } from '../../components/time.tsx';
import { SnapshotDifferences } from './snapshot-differences.tsx';

const PAGE_SIZE = 100;

export function ContextSnapshots({ contextId }: { readonly contextId: string }): VNode {
  const answer = useAnswer(`snapshots ${contextId}`, async (memory) => {
    const { snapshots } = await memory.contextSnapshots.list({ contextId, limit: PAGE_SIZE });
    return snapshots;
  });
  return (
    <AnswerPanel
      title="Snapshots"
      answer={answer}
      aside={() => (
        <button type="button" class="button button-small" onClick={() => void take(contextId).catch(toastError)}>
          Take one now
        </button>
      )}
    >
      {(snapshots) =>
        snapshots.length === 0 ? (
          <p class="quiet">None yet. Take one, change something, and compare.</p>
        ) : (
          <>
            <List contextId={contextId} snapshots={snapshots} />
            <Compare contextId={contextId} snapshots={snapshots} />
          </>
        )
      }
    </AnswerPanel>
  );
}

async function take(contextId: string): Promise<void> {
  const { entryCount } = await ask((memory) => memory.contextSnapshots.create({ contextId }));
  changed();
  toast(`Snapshot taken of ${entryCount === 1 ? '1 entry' : `${entryCount} entries`}.`);
}

async function restore(contextId: string, { snapshotId, createdAt }: Snapshot): Promise<void> {
  const isSure = await confirm({
    title: 'Go back to this snapshot?',
    text: `Entries get a new version that says what they said on ${exactTime(createdAt)}. A snapshot of how it is now is taken first, so this can be undone.`,
    action: 'Go back',
  });
  if (!isSure) return;
  const done = await ask((memory) => memory.contextSnapshots.restore({ contextId, snapshotId }));
  changed();
  const { undoSnapshotId } = done;
  const text = `${done.restored.length} restored, ${done.archived.length} archived, ${done.unchangedCount} as they were.`;
  if (undoSnapshotId === null) return toast(text);
  toast(text, async () => {
    await ask((memory) => memory.contextSnapshots.restore({ contextId, snapshotId: undoSnapshotId }));
    changed();
  });
}

interface ListProps {
  readonly contextId: string;
  readonly snapshots: readonly Snapshot[];
}

function titleOf({ name, reason, createdAt }: Snapshot): string {
  return name ?? reason ?? exactTime(createdAt);
}

function List({ contextId, snapshots }: ListProps): VNode {
  return (
    <ul class="snapshots">
      {snapshots.map((snapshot) => (
        <li key={snapshot.snapshotId}>
          <b>{titleOf(snapshot)}</b>
          <span class="meta-row">
            <span class="numeric">{snapshot.entryCount} entries</span> by {snapshot.createdBy}{' '}
            <Time at={snapshot.createdAt} />
          </span>
          <button
            type="button"
            class="button button-small"
            aria-label={`Go back to ${titleOf(snapshot)}`}
            onClick={() => void restore(contextId, snapshot).catch(toastError)}
          >
            <Icon name="restore" /> Go back
          </button>
        </li>
      ))}
    </ul>
  );
}

const NOW = 'now';

/** Which two stands in the address; by default the last snapshot but one and now. */
function Compare({ contextId, snapshots }: ListProps): VNode {
  const ids = snapshots.map(({ snapshotId }) => snapshotId);
  const [from, to] = [queryOf('from'), queryOf('to')];
  const before = ids.includes(from) ? from : (ids[1] ?? ids[0] ?? '');
  const after = ids.includes(to) ? to : NOW;
  const options = snapshots.map((snapshot) => {
    const title = titleOf(snapshot);
    return [snapshot.snapshotId, `${title} (${snapshot.entryCount})`] as const;
  });
  const answer = useAnswer(`compare ${contextId} ${before} ${after}`, (memory) =>
    memory.contextSnapshots.compare({
      contextId,
      snapshotId: before,
      ...(after !== NOW && { otherSnapshotId: after }),
    }),
  );
  return (
    <section class="compare-snapshots" aria-label="Differences">
      <div class="form-row">
        <Select label="Between" options={options} value={before} onInput={(id) => setQuery({ from: id })} />
        <Select
          label="and"
          options={[[NOW, 'as it is now'], ...options]}
          value={after}
          onInput={(id) => setQuery({ to: id === NOW ? undefined : id })}
        />
      </div>
      <SnapshotDifferences answer={answer} />
    </section>
  );
}
