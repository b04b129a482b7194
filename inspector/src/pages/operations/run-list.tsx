/** The runs of maintenance jobs, newest first, by job and status. */

import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { MAINTENANCE_JOBS, type ListRunsOutput, type MaintenanceRun } from '../../../../src/domain/maintenance.ts';
import type { Memory } from '../../api/ask.ts';
import { useAnswer } from '../../api/use-answer.ts';
import { useKeys } from '../../app/keyboard.ts';
import { queryOf, setQuery } from '../../app/location.ts';
import { moveFocus } from '../../app/move-focus.ts';
import { curlCommand } from '../../components/curl-command.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorPanel } from '../../components/error-panel.tsx';
import { Select } from '../../components/fields.tsx';
import { Panel } from '../../components/panel.tsx';
import { Skeleton } from '../../components/skeleton.tsx';
import { Time } from '../../components/time.tsx';
import { runHref } from './addresses.ts';
import { countText, millisecondsText } from './figures.ts';
import { jobTitle, TRIGGERS } from './jobs.ts';

const STATUSES = ['running', 'completed', 'failed', 'undone'] as const;
const ROWS = '.run-link';
const PAGE = 100;

export function RunStatus({ run: { status, dryRun } }: { readonly run: MaintenanceRun }): VNode {
  return (
    <span class={`badge-plain run-${status}`}>
      {status}
      {dryRun && ', dry run'}
    </span>
  );
}

/** How many of what, in a line. */
function countsText(run: MaintenanceRun): string {
  const told = Object.entries(run.counts).map(([name, count]) => `${name.replaceAll('_', ' ')} ${countText(count)}`);
  return told.join(' · ');
}

/** `recent` are the newest of all, which the page has anyway. */
export function RunList({ recent }: { readonly recent: ListRunsOutput }): VNode {
  const job = MAINTENANCE_JOBS.find((one) => one === queryOf('job'));
  const status = STATUSES.find((one) => one === queryOf('status'));
  const isFiltered = job !== undefined || status !== undefined;
  const [limit, setLimit] = useState(PAGE);
  const isOwn = isFiltered || limit > PAGE;
  const answer = useAnswer(isOwn ? `runs ${job} ${status} ${limit}` : undefined, (memory) =>
    runsUpTo(memory, limit, { ...(job !== undefined && { job }), ...(status !== undefined && { status }) }),
  );
  useKeys('Runs', [
    { keys: ['j', 'ArrowDown'], help: 'Next run', run: () => moveFocus(ROWS, 1) },
    { keys: ['k', 'ArrowUp'], help: 'Previous run', run: () => moveFocus(ROWS, -1) },
  ]);
  const shown = isOwn ? answer.data : recent;
  return (
    <Panel
      title="Runs"
      aside={
        <div class="panel-filters">
          <Select
            label="Job"
            value={job ?? ''}
            options={[['', 'all'], ...MAINTENANCE_JOBS.map((one) => [one, jobTitle(one)] as const)]}
            onInput={(value) => setQuery({ job: value })}
          />
          <Select
            label="Status"
            value={status ?? ''}
            options={[['', 'any'], ...STATUSES]}
            onInput={(value) => setQuery({ status: value })}
          />
        </div>
      }
    >
      {answer.error !== undefined ? (
        <ErrorPanel error={answer.error} onRetry={answer.reload} />
      ) : shown === undefined ? (
        <Skeleton rows={5} />
      ) : (
        <>
          <Runs runs={shown.runs} isFiltered={isFiltered} />
          {shown.nextCursor !== null && (
            <button type="button" class="button more" onClick={() => setLimit(limit + PAGE)}>
              Show older runs
            </button>
          )}
        </>
      )}
    </Panel>
  );
}

type Filter = Pick<NonNullable<Parameters<Memory['maintenance']['runs']>[0]>, 'job' | 'status'>;

async function runsUpTo(memory: Memory, limit: number, filter: Filter): Promise<ListRunsOutput> {
  let page = await memory.maintenance.runs({ ...filter, limit: PAGE });
  const runs = [...page.runs];
  while (runs.length < limit && page.nextCursor !== null) {
    page = await memory.maintenance.runs({ ...filter, limit: PAGE, cursor: page.nextCursor });
    runs.push(...page.runs);
  }
  return { runs, count: runs.length, nextCursor: page.nextCursor };
}

function Runs({ runs, isFiltered }: { readonly runs: readonly MaintenanceRun[]; readonly isFiltered: boolean }): VNode {
  if (runs.length === 0) {
    return isFiltered ? (
      <p class="quiet">No run is like this.</p>
    ) : (
      <EmptyState
        title="No job has run in the last ninety days"
        command={curlCommand('/v1/memory/maintenance/deduplication', { dry_run: true })}
      >
        <p>Start one above, or paste this.</p>
      </EmptyState>
    );
  }
  return (
    <ul class="runs">
      {runs.map((run) => (
        <li key={run.runId}>
          <a class="run-link" href={runHref(run.runId)}>
            <span class="run-job">{jobTitle(run.job)}</span>
            <RunStatus run={run} />
            <span class="run-counts quiet">{countsText(run)}</span>
            <span class="quiet">{TRIGGERS[run.trigger]}</span>
            <span class="quiet numeric">{millisecondsText(run.durationMs)}</span>
            <Time at={run.startedAt} />
          </a>
        </li>
      ))}
    </ul>
  );
}
