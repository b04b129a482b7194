/** Maintenance: what each job does, a dry run or a real one now, and the runs that there were. */

import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import {
  MAINTENANCE_JOBS,
  UNDOABLE_JOBS,
  type MaintenanceJob,
  type MaintenanceRun,
} from '../../../../src/domain/maintenance.ts';
import { ask } from '../../api/ask.ts';
import { changed } from '../../api/changes.ts';
import { useAnswer } from '../../api/use-answer.ts';
import { confirm } from '../../app/confirm.tsx';
import { go } from '../../app/location.ts';
import { toast, toastError } from '../../app/toasts.tsx';
import { Time } from '../../components/time.tsx';
import { AdminPanel } from './admin-panel.tsx';
import { runHref } from './addresses.ts';
import { jobTitle, JOB_TEXTS } from './jobs.ts';
import { RunList, RunStatus } from './run-list.tsx';
import { RunView } from './run-view.tsx';
import { undoRun } from './undo-run.ts';
import { useRefresh } from '../../api/use-refresh.ts';

const REFRESH_MS = 4000;
const RECENT = 100;

export function MaintenanceView({ detail }: { readonly detail: string | undefined }): VNode {
  return detail === undefined ? <Jobs /> : <RunView runId={detail} />;
}

function Jobs(): VNode {
  const answer = useAnswer('runs', (memory) => memory.maintenance.runs({ limit: RECENT }));
  useRefresh([answer], REFRESH_MS);
  const [busy, setBusy] = useState<ReadonlySet<MaintenanceJob>>(new Set());
  const start = async (job: MaintenanceJob, dryRun: boolean): Promise<void> => {
    if (!dryRun && !(await isSure(job))) return;
    setBusy((before) => new Set(before).add(job));
    try {
      const run = await ask((memory) => memory.maintenance.run({ job, dryRun }));
      changed();
      told(run);
      go(runHref(run.runId));
    } finally {
      setBusy((before) => new Set([...before].filter((other) => other !== job)));
    }
  };
  return (
    <>
      <AdminPanel title="Jobs" needs="Maintenance" answer={answer} rows={9}>
        {({ runs }) => (
          <ul class="jobs">
            {MAINTENANCE_JOBS.map((job) => (
              <JobRow
                key={job}
                job={job}
                last={runs.find((run) => run.job === job && !run.dryRun)}
                isBusy={busy.has(job)}
                onStart={(dryRun) => void start(job, dryRun).catch(toastError)}
              />
            ))}
          </ul>
        )}
      </AdminPanel>
      {answer.data !== undefined && answer.error === undefined && <RunList recent={answer.data} />}
    </>
  );
}

function isSure(job: MaintenanceJob): Promise<boolean> {
  const isUndoable = UNDOABLE_JOBS.has(job);
  const end = isUndoable
    ? 'What it does can be undone as a whole afterwards.'
    : job === 'integrity'
      ? 'It changes nothing.'
      : 'What it removes is gone: it cannot be undone. A dry run tells what that would be.';
  return confirm({
    title: `Run ${jobTitle(job)} now?`,
    text: `${JOB_TEXTS[job]} It goes over the whole tenant. ${end}`,
    action: 'Run now',
    isDangerous: !isUndoable && job !== 'integrity',
  });
}

function told(run: MaintenanceRun): void {
  const title = jobTitle(run.job);
  if (run.status === 'failed') return;
  if (run.dryRun) toast(`The dry run of ${title} has ended. Nothing was changed.`);
  else if (!UNDOABLE_JOBS.has(run.job) || run.changes.length === 0) toast(`${title} has ended.`);
  else toast(`${title} has ended.`, async () => void (await undoRun(run)));
}

interface JobRowProps {
  readonly job: MaintenanceJob;
  readonly last: MaintenanceRun | undefined;
  readonly isBusy: boolean;
  readonly onStart: (dryRun: boolean) => void;
}

function JobRow({ job, last, isBusy, onStart }: JobRowProps): VNode {
  const isRunning = isBusy || last?.status === 'running';
  return (
    <li class="job">
      <div class="job-text">
        <h3>{jobTitle(job)}</h3>
        <p class="quiet">{JOB_TEXTS[job]}</p>
      </div>
      <div class="job-last" aria-live="polite">
        {isRunning ? (
          <span class="badge-plain run-running">running</span>
        ) : last === undefined ? (
          <span class="quiet">not run lately</span>
        ) : (
          <a href={runHref(last.runId)}>
            <RunStatus run={last} /> <Time at={last.startedAt} />
          </a>
        )}
      </div>
      <div class="job-actions">
        <button
          type="button"
          class="button"
          disabled={isRunning}
          aria-label={`Dry run: ${jobTitle(job)}`}
          onClick={() => onStart(true)}
        >
          Dry run
        </button>
        <button
          type="button"
          class="button"
          disabled={isRunning}
          aria-label={`Run now: ${jobTitle(job)}`}
          onClick={() => onStart(false)}
        >
          Run now
        </button>
      </div>
    </li>
  );
}
