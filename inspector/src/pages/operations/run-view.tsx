/** One run: how it went, what it touched, and a way to take it back. */

import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import {
  MAX_RUN_CHANGES,
  UNDOABLE_JOBS,
  type MaintenanceRun,
  type UndoRunOutput,
} from '../../../../src/domain/maintenance.ts';
import { useAnswer } from '../../api/use-answer.ts';
import { confirm } from '../../app/confirm.tsx';
import { useKeys } from '../../app/keyboard.ts';
import { ROOT } from '../../app/location.ts';
import { moveFocus } from '../../app/move-focus.ts';
import { entryHref } from '../../app/pages.ts';
import { toast, toastError } from '../../app/toasts.tsx';
import { Icon } from '../../components/icon.tsx';
import { Panel } from '../../components/panel.tsx';
import { Time } from '../../components/time.tsx';
import { AdminPanel } from './admin-panel.tsx';
import { countText, millisecondsText } from './figures.ts';
import { jobTitle, TRIGGERS } from './jobs.ts';
import { MemoryLabel } from './memory-label.tsx';
import { RunStatus } from './run-list.tsx';
import { undoRun } from './undo-run.ts';
import { useRefresh } from '../../api/use-refresh.ts';

const REFRESH_MS = 3000;
/** So many changes say what they are about. */
const LABELLED = 30;
const LINKS = '.change-link';

export function RunView({ runId }: { readonly runId: string }): VNode {
  const answer = useAnswer(`run ${runId}`, (memory) => memory.maintenance.get({ runId }));
  const [undone, setUndone] = useState<UndoRunOutput | undefined>(undefined);
  useRefresh([answer], REFRESH_MS);
  useKeys('Run', [
    { keys: ['j', 'ArrowDown'], help: 'Next change', run: () => moveFocus(LINKS, 1) },
    { keys: ['k', 'ArrowUp'], help: 'Previous change', run: () => moveFocus(LINKS, -1) },
  ]);
  const run = answer.data;
  return (
    <>
      <a class="back-link" href={`${ROOT}/operations/maintenance`}>
        All runs
      </a>
      <AdminPanel
        title={run ? `${jobTitle(run.job)}${run.dryRun ? ', dry run' : ''}` : 'Run'}
        needs="Maintenance"
        answer={answer}
        rows={6}
        aside={(data) => data !== null && <UndoButton run={data} onUndone={setUndone} />}
      >
        {(data) =>
          data === null ? <p>There is no such run. Runs are kept for ninety days.</p> : <RunFacts run={data} />
        }
      </AdminPanel>
      {undone !== undefined && undone.run.runId === runId && <Undone undone={undone} />}
      {run && <Changes run={run} />}
    </>
  );
}

function RunFacts({ run }: { readonly run: MaintenanceRun }): VNode {
  const counts = Object.entries(run.counts);
  return (
    <>
      <dl class="properties">
        <dt>Status</dt>
        <dd aria-live="polite">
          <RunStatus run={run} />
        </dd>
        <dt>Started</dt>
        <dd>
          <Time at={run.startedAt} />, {TRIGGERS[run.trigger]}
        </dd>
        <dt>Took</dt>
        <dd class="numeric">{run.durationMs === undefined ? 'not ended yet' : millisecondsText(run.durationMs)}</dd>
        {run.error !== undefined && (
          <>
            <dt>Error</dt>
            <dd class="is-bad">{run.error}</dd>
          </>
        )}
      </dl>
      {counts.length > 0 && (
        <dl class="figures">
          {counts.map(([name, count]) => (
            <div key={name} class={count === 0 ? 'is-zero' : ''}>
              <dt>{name.replaceAll('_', ' ')}</dt>
              <dd>{countText(count)}</dd>
            </div>
          ))}
        </dl>
      )}
    </>
  );
}

interface UndoButtonProps {
  readonly run: MaintenanceRun;
  readonly onUndone: (undone: UndoRunOutput) => void;
}

function UndoButton({ run, onUndone }: UndoButtonProps): VNode | null {
  const [isBusy, setBusy] = useState(false);
  if (run.dryRun || run.status !== 'completed') return null;
  if (!UNDOABLE_JOBS.has(run.job)) return <span class="quiet">cannot be undone</span>;
  const undo = async (): Promise<void> => {
    const isSure = await confirm({
      title: 'Undo this run?',
      text: 'What it changed is as it was before, as a new version. What somebody changed since stays as it is.',
      action: 'Undo the run',
    });
    if (!isSure) return;
    setBusy(true);
    try {
      const undone = await undoRun(run);
      onUndone(undone);
      toast(`Undone: ${countText(undone.undoneCount)} ${asTheyWere(undone.undoneCount)}.`);
    } finally {
      setBusy(false);
    }
  };
  return (
    <button type="button" class="button" disabled={isBusy} onClick={() => void undo().catch(toastError)}>
      <Icon name="restore" /> Undo the run
    </button>
  );
}

function asTheyWere(count: number): string {
  return count === 1 ? 'memory is as it was' : 'memories are as they were';
}

function Undone({ undone: { undoneCount, kept } }: { readonly undone: UndoRunOutput }): VNode {
  return (
    <Panel title="Undone">
      <p>
        <b class="numeric">{countText(undoneCount)}</b> {asTheyWere(undoneCount)} before.
        {kept.length === 0 ? ' Nothing had to be left out.' : ` ${countText(kept.length)} were left as they are:`}
      </p>
      <ul class="changes">
        {kept.map(({ entryId, reason }) => (
          <li key={entryId}>
            <a href={entryHref(entryId)}>{entryId}</a> <span class="quiet">{reason}</span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

function Changes({ run: { changes, dryRun, status } }: { readonly run: MaintenanceRun }): VNode {
  return (
    <Panel
      title={dryRun ? 'What it would do' : 'What it did'}
      aside={changes.length >= MAX_RUN_CHANGES && <span class="quiet">the first {countText(MAX_RUN_CHANGES)}</span>}
    >
      {changes.length === 0 ? (
        <p class="quiet">{status === 'running' ? 'Nothing yet.' : 'Nothing.'}</p>
      ) : (
        <ul class="changes">
          {changes.map((change, at) => (
            <li key={at}>
              <span class="tag">{change.action.replaceAll('_', ' ')}</span>
              {change.entryId !== undefined && (
                <a class="change-link" href={entryHref(change.entryId)}>
                  <MemoryLabel id={change.entryId} version={change.toVersion} isAsked={at < LABELLED} />
                </a>
              )}
              {change.toVersion !== undefined && (
                <span class="quiet numeric">
                  version {change.fromVersion === undefined ? '' : `${change.fromVersion} → `}
                  {change.toVersion}
                </span>
              )}
              {change.detail !== undefined && <span class="quiet">{change.detail}</span>}
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}
