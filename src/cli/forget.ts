/** `lamina forget`: deletes memories, by id or by what they have in common, after showing which. */

import { isUnreadable } from '../domain/closed-entry.ts';
import type { Entry } from '../domain/entry.ts';
import { MAX_PAGE_SIZE } from '../domain/browse.ts';
import type { Memory } from '../operations/memory.ts';
import type { OperationInput } from '../operations/table.ts';
import { answer } from './terminal/answer.ts';
import { JSON_FLAG, usageError, type Command, type Given } from './command.ts';
import { FILTER_FLAGS, filterFrom } from './entry-filter.ts';
import { timeFrom } from './flag-values.ts';
import { entryPages } from './list-entries.ts';
import { entryColumns } from './list.ts';
import { oneLayer, placeFrom, principalFrom, whichMemory, withOwnUser } from './memory-flags.ts';
import { readMemory } from './open-memory.ts';
import { progressBar } from './terminal/progress-bar.ts';
import { isConfirmed, YES_FLAG } from './terminal/read-input.ts';
import { notThere } from './show.ts';
import { viewOf } from './terminal/view.ts';
import { betweenPages } from './terminal/stop-signal.ts';

/** More of them do not help to decide. */
const SHOWN = 10;

export const forget: Command = {
  name: 'forget',
  summary: 'Delete memories for good, by id or by what they have in common.',
  parameters: [{ name: 'ID', description: 'The ids of the memories', optional: true, many: true }],
  flags: [
    { name: 'dry-run', description: 'Only show what would be deleted' },
    YES_FLAG,
    JSON_FLAG,
    ...FILTER_FLAGS,
    {
      name: 'before',
      value: 'TIME',
      group: 'Which of them',
      description: 'Created before then; 90d is ninety days ago',
    },
    { name: 'quarantined', group: 'Which of them', description: 'Also what waits for review: see lamina quarantine' },
    { name: 'all', group: 'Which of them', description: 'Everything in the layer that is yours to delete' },
    ...whichMemory(),
    ...oneLayer('user'),
  ],
  examples: [
    { line: 'lamina forget 01990b2e-6f3a-7cc1-9d54-3b7a1f0c2e88 --yes', does: 'This one.' },
    { line: 'lamina forget --tag draft --before 90d --dry-run', does: 'What old drafts there are.' },
    { line: 'lamina forget --project apollo --all --yes', does: 'Everything that is known of a project.' },
  ],
  notes: [
    'What was made from a memory goes with it, and its versions and vectors too. What is not yours to change stays.',
    'What is sealed and cannot be opened any more is counted and deleted as well, and cannot be shown.',
    'Before anything is deleted you are asked, unless --yes is given; where there is no terminal it is needed.',
  ].join('\n'),
  async run(given) {
    const principal = principalFrom(given);
    checkConditions(given);
    return readMemory(given, principal, (memory) => forgetWith(given, memory));
  },
};

function checkConditions(given: Given): void {
  const conditions = ['tag', 'source', 'metadata', 'before'].filter((flag) => given.has(flag));
  const isByIds = given.words.length > 0;
  if (isByIds && (conditions.length > 0 || given.has('all'))) {
    throw usageError('Give ids or conditions, not both.', given.command);
  }
  if (!isByIds && conditions.length === 0 && !given.has('all')) {
    throw usageError(
      'Say what to forget: ids, --tag, --source, --metadata, --before, or --all of a layer.',
      given.command,
    );
  }
}

async function forgetWith(given: Given, memory: Memory): Promise<number> {
  const found = given.words.length > 0 ? await named(memory, given.words) : await matching(given, memory);
  const { ids, closed } = found;
  const count = ids.length + (closed?.count ?? 0);
  const told = (deletedCount: number, text: string): number => {
    const isDryRun = given.has('dry-run');
    return answer(given, { dryRun: isDryRun, foundCount: count, deletedCount, ids }, () => text);
  };
  if (count === 0) return told(0, 'Nothing there to forget.');
  if (!given.has('yes') || given.has('dry-run')) preview(given, found);
  if (given.has('dry-run')) return told(0, `Would forget ${countText(count)}.`);
  if (!(await isConfirmed(given, `Forget ${countText(count)} for good?`, 'yes'))) {
    return told(0, 'Nothing was forgotten.');
  }
  const opened = await removed(given, memory, ids);
  const deletedCount = opened + (closed ? (await memory.forget(closed.conditions)).deletedCount : 0);
  return told(
    deletedCount,
    `Forgot ${countText(deletedCount)}, with what was made from ${deletedCount === 1 ? 'it' : 'them'}.`,
  );
}

function countText(count: number): string {
  return `${count} ${count === 1 ? 'memory' : 'memories'}`;
}

/** Of many the ids, and the first of them to be shown. */
interface Found {
  readonly ids: string[];
  readonly first: Entry[];
  /** What cannot be opened is in no list, though it is counted; so is what somebody else has deleted meanwhile. */
  closed?: { readonly count: number; readonly conditions: OperationInput<'forget'> };
}

function keep({ ids, first }: Found, entry: Entry): void {
  ids.push(entry.id);
  if (first.length < SHOWN) first.push(entry);
}

async function named(memory: Memory, ids: readonly string[]): Promise<Found> {
  const found: Found = { ids: [], first: [] };
  for (const id of new Set(ids)) {
    const entry = await memory.get({ id }).then((answered) => answered.memory, unopened);
    if (entry === null) throw notThere(id);
    if (entry === undefined) found.ids.push(id);
    else keep(found, entry);
  }
  return found;
}

/** What cannot be opened can be forgotten all the same, though not be shown before. */
function unopened(error: unknown): undefined {
  if (isUnreadable(error)) return undefined;
  throw error;
}

async function matching(given: Given, memory: Memory): Promise<Found> {
  const filter = filterFrom(given);
  const before = timeFrom(given, 'before');
  const place = await withOwnUser(memory, placeFrom(given, 'user'));
  const conditions = { ...place, ...(filter && { filter }) };
  const began = new Date().toISOString();
  const bar = progressBar(given);
  const found: Found = { ids: [], first: [] };
  let [looked, total] = [0, 0];
  try {
    for (const status of given.has('quarantined') ? (['all', 'quarantined'] as const) : (['all'] as const)) {
      const earlier = total;
      const pages = entryPages(memory, { ...conditions, status }, Number.POSITIVE_INFINITY, given.signal);
      for await (const page of pages) {
        for (const entry of page.memories) if (before === undefined || entry.createdAt < before) keep(found, entry);
        looked += page.memories.length;
        total = earlier + page.totalCount;
        if (total > page.memories.length) bar.show({ done: looked, total, label: 'looked at' });
      }
    }
  } finally {
    bar.clear();
  }
  // What comes meanwhile was not looked at, and nobody has agreed to its end.
  const cutoffDate = before ?? began;
  if (total > looked) {
    found.closed = { count: total - looked, conditions: { ...conditions, cutoffDate, onlyUnreadable: true } };
  }
  return found;
}

/** On the standard error: the answer is what was done. */
function preview(given: Given, { ids, first, closed }: Found): void {
  const view = viewOf(given);
  const more = ids.length > first.length ? [`… and ${ids.length - first.length} more`] : [];
  const unseen = closed ? [`… and up to ${closed.count} that cannot be opened: nobody can say what they are`] : [];
  const lines = [...view.table(first, entryColumns(view)), ...more, ...unseen];
  given.terminal.stderr.write(`${lines.join('\n')}\n`);
}

/** Page by page, so that it can be stopped between them. */
async function removed(given: Given, memory: Memory, ids: readonly string[]): Promise<number> {
  const bar = progressBar(given);
  let count = 0;
  try {
    for (let done = 0; done < ids.length; done += MAX_PAGE_SIZE) {
      await betweenPages(given.signal);
      count += (await memory.forget({ ids: ids.slice(done, done + MAX_PAGE_SIZE) })).deletedCount;
      if (ids.length > MAX_PAGE_SIZE) {
        bar.show({ done: Math.min(done + MAX_PAGE_SIZE, ids.length), total: ids.length, label: 'forgotten' });
      }
    }
  } finally {
    bar.clear();
  }
  return count;
}
