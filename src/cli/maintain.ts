/** `lamina maintain`: runs maintenance jobs, shows what they did, and takes it back. */

import { MAINTENANCE_JOBS, type MaintenanceRun } from '../domain/maintenance.ts';
import type { Memory } from '../operations/memory.ts';
import { answer } from './terminal/answer.ts';
import { counted } from './terminal/counted.ts';
import { JSON_FLAG, type Command, type Given } from './command.ts';
import { EXIT_CODES } from './exit-code.ts';
import { adminFrom, TENANT_FLAG, whichMemory } from './memory-flags.ts';
import { readMemory } from './open-memory.ts';
import { printPages, LIST_FLAGS } from './terminal/print-pages.ts';
import { durationText } from './terminal/relative-time.ts';
import { viewOf, type View } from './terminal/view.ts';
import { whileWaiting } from './terminal/waiting.ts';
import { betweenPages } from './terminal/stop-signal.ts';

/** Of one run that is shown. */
const MAX_CHANGES = 20;

const WHERE = [...whichMemory(), TENANT_FLAG];

const runs: Command = {
  name: 'runs',
  summary: 'List the runs of maintenance jobs, newest first.',
  flags: [
    { name: 'job', value: 'JOB', choices: MAINTENANCE_JOBS, description: 'Only of this job' },
    ...LIST_FLAGS,
    ...WHERE,
  ],
  examples: [{ line: 'lamina maintain runs --job deduplication', does: 'Those of the last ninety days.' }],
  run: (given) => {
    const job = MAINTENANCE_JOBS.find((each) => each === given.value('job'));
    return printPages<MaintenanceRun>(given, {
      read: async (memory, page) => {
        const { runs: items, nextCursor } = await memory.maintenance.runs({ ...page, ...(job && { job }) });
        return { items, nextCursor };
      },
      principal: adminFrom(given),
      columns: (view) => [
        { title: 'ID', text: ({ runId }) => runId, format: 'dim' },
        { title: 'WHEN', text: ({ startedAt }) => view.ago(startedAt), format: 'cyan' },
        { title: 'JOB', text: (run) => (run.dryRun ? `${run.job} (dry run)` : run.job) },
        { title: 'STATUS', text: ({ status }) => status },
        {
          title: 'TOOK',
          text: ({ durationMs }) => (durationMs === undefined ? '–' : durationText(durationMs)),
          align: 'right',
        },
        { title: 'COUNTS', text: ({ counts }) => countsText(counts), gives: true },
      ],
    });
  },
};

const undo: Command = {
  name: 'undo',
  summary: 'Take back what a run did.',
  parameters: [{ name: 'RUN', description: 'The id of the run, as lamina maintain runs shows it' }],
  flags: [JSON_FLAG, ...WHERE],
  examples: [{ line: 'lamina maintain undo 01990b2e-6f3a-7cc1-9d54-3b7a1f0c2e66', does: 'All that it changed.' }],
  notes: 'What somebody changed since stays as it is, and is named.',
  async run(given) {
    const [runId = ''] = given.words;
    const undone = await whileWaiting(
      given,
      'Undoing',
      readMemory(given, adminFrom(given), (memory) => memory.maintenance.undo({ runId })),
    );
    return answer(given, undone, () =>
      [
        `Undid ${undone.run.job}: ${counted(undone.undoneCount, 'memory is as it was', 'memories are as they were')}.`,
        ...undone.kept.map(({ entryId, reason }) => `  kept ${entryId}: ${reason}`),
      ].join('\n'),
    );
  },
};

export const maintain: Command = {
  name: 'maintain',
  summary: 'Run maintenance jobs, show what they did, and take it back.',
  parameters: [{ name: 'JOB', description: 'What to do', choices: MAINTENANCE_JOBS, many: true }],
  flags: [{ name: 'dry-run', description: 'Only look what would be done' }, JSON_FLAG, ...WHERE],
  examples: [
    { line: 'lamina maintain deduplication --dry-run', does: 'What would be merged.' },
    { line: 'lamina maintain expiry integrity', does: 'Removes what has expired, then checks all contents.' },
    { line: 'lamina maintain undo 01990b2e-6f3a-7cc1-9d54-3b7a1f0c2e66', does: 'Takes back what a run did.' },
  ],
  notes: [
    'The jobs are done over one tenant, for its administrators. decay, merging, distillation and session_cleanup are off',
    'unless the configuration turns them on.',
  ].join('\n'),
  commands: [runs, undo],
  run: (given) => readMemory(given, adminFrom(given), async (memory) => runJobs(given, memory)),
};

async function runJobs(given: Given, memory: Memory): Promise<number> {
  const done: MaintenanceRun[] = [];
  for (const word of new Set(given.words)) {
    await betweenPages(given.signal);
    const job = MAINTENANCE_JOBS.find((each) => each === word);
    if (job === undefined) continue;
    const run = memory.maintenance.run({ job, dryRun: given.has('dry-run') });
    done.push(await whileWaiting(given, job, run));
  }
  const view = viewOf(given);
  answer(given, done, () => done.map((run) => runText(run, view)).join('\n'));
  return done.some(({ status }) => status === 'failed') ? EXIT_CODES.failed.code : EXIT_CODES.ok.code;
}

function runText(run: MaintenanceRun, { paint }: View): string {
  const { job, status, dryRun, durationMs = 0, counts, changes, runId, error } = run;
  const title = `${paint('bold', job)} ${dryRun ? 'would do' : status} in ${durationText(durationMs)}: ${countsText(counts)}`;
  const shown = changes.slice(0, MAX_CHANGES).map((change) => {
    const detail = change.detail === undefined ? '' : `  ${change.detail}`;
    return `  ${change.action.padEnd(10)} ${change.entryId ?? ''}${detail}`.trimEnd();
  });
  const more = changes.length > MAX_CHANGES ? [`  … and ${changes.length - MAX_CHANGES} more`] : [];
  const back = dryRun || changes.length === 0 ? [] : [paint('dim', `  Run ${runId}`)];
  return [title, ...shown, ...more, ...back, ...(error === undefined ? [] : [paint('red', `  ${error}`)])].join('\n');
}

function countsText(counts: MaintenanceRun['counts']): string {
  return (
    Object.entries(counts)
      .map(([name, count]) => `${name} ${count}`)
      .join(', ') || 'nothing to do'
  );
}
