/** `lamina list`: pages through a layer, newest first. */

import { SHELVES } from '../domain/access.ts';
import type { Entry } from '../domain/entry.ts';
import type { OperationInput } from '../operations/table.ts';
import { JSON_FLAG, usageError, type Command, type Given } from './command.ts';
import { AS_OF_FLAG, filterFrom, FILTER_FLAGS, kindsFrom, KIND_FLAG } from './entry-filter.ts';
import { EXIT_CODES } from './exit-code.ts';
import { countFrom, timeFrom } from './flag-values.ts';
import { entryPages, type EntryPage } from './list-entries.ts';
import { oneLayer, placeFrom, principalFrom, whichMemory, withOwnUser } from './memory-flags.ts';
import { memoryName, readMemory } from './open-memory.ts';
import { fitted } from './terminal/shown-text.ts';
import type { Column } from './terminal/text-table.ts';
import { viewOf, type View } from './terminal/view.ts';

type ListInput = OperationInput<'list'>;

const DEFAULT_LIMIT = 20;

/** Of the column of tags, at most. */
const TAGS_WIDTH = 24;

export const list: Command = {
  name: 'list',
  summary: 'List the memories of a layer, newest first.',
  flags: [
    { name: 'limit', value: 'N', description: 'How many at most', fallback: String(DEFAULT_LIMIT) },
    { name: 'all', description: 'All of them, however many' },
    { name: 'cursor', value: 'CURSOR', description: 'Go on where an earlier list ended' },
    AS_OF_FLAG,
    { ...JSON_FLAG, description: 'A memory in JSON on each line, for machines' },
    ...FILTER_FLAGS,
    KIND_FLAG,
    {
      name: 'status',
      value: 'STATUS',
      group: 'Which of them',
      choices: SHELVES,
      description: 'What is in use, what was archived, or both; or what waits for review',
      fallback: 'active',
    },
    {
      name: 'external-id',
      value: 'NAME',
      group: 'Which of them',
      repeatable: true,
      description: 'By your own name for it',
    },
    ...whichMemory(),
    ...oneLayer('user'),
  ],
  examples: [
    { line: 'lamina list', does: 'Your own newest memories.' },
    { line: 'lamina list --tag preference --kind semantic --limit 5', does: 'Some of them.' },
    { line: 'lamina list --project apollo --all --json', does: 'All of a project, a memory on each line.' },
  ],
  async run(given) {
    const principal = principalFrom(given);
    const input = inputFrom(given);
    const most = given.has('all') ? Number.POSITIVE_INFINITY : (countFrom(given, 'limit', 1) ?? DEFAULT_LIMIT);
    const { stdout } = given.terminal;
    const name = await memoryName(given);
    await readMemory(given, principal, async (memory) => {
      const pages = entryPages(memory, await withOwnUser(memory, input), most, given.signal);
      const print = given.has('json') ? jsonPrinter() : textPrinter(given, name);
      for await (const page of pages) stdout.write(print.page(page));
      const { text, note } = print.end();
      stdout.write(text);
      if (note !== undefined) given.terminal.stderr.write(`${note}\n`);
    });
    return EXIT_CODES.ok.code;
  },
};

function inputFrom(given: Given): ListInput {
  if (given.has('all') && given.has('limit')) throw usageError('--all and --limit exclude each other.', given.command);
  const filter = filterFrom(given);
  const kinds = kindsFrom(given);
  const status = SHELVES.find((each) => each === given.value('status'));
  const externalIds = given.values('external-id');
  const cursor = given.value('cursor');
  const asOf = timeFrom(given, 'as-of');
  return {
    ...placeFrom(given, 'user'),
    ...(filter && { filter }),
    ...(kinds && { kinds }),
    ...(status && { status }),
    ...(externalIds.length > 0 && { externalIds: [...externalIds] }),
    ...(cursor !== undefined && { cursor }),
    ...(asOf !== undefined && { asOf }),
  };
}

interface Printer {
  page(page: EntryPage): string;
  end(): { readonly text: string; readonly note?: string };
}

function jsonPrinter(): Printer {
  let next: string | null = null;
  return {
    page: ({ memories, nextCursor }) => {
      next = nextCursor;
      return memories.map((memory) => `${JSON.stringify(memory)}\n`).join('');
    },
    end: () => ({ text: '', ...(next !== null && { note: `There are more: --cursor ${next}` }) }),
  };
}

/** Each page is a table of its own width; the titles come once. */
function textPrinter(given: Given, name: string): Printer {
  const view = viewOf(given);
  let shown = 0;
  let last: EntryPage | undefined;
  return {
    page: (page) => {
      const lines = view.table(page.memories, entryColumns(view));
      const isFirst = shown === 0;
      shown += page.memories.length;
      last = page;
      return page.memories.length === 0 ? '' : `${(isFirst ? lines : lines.slice(1)).join('\n')}\n`;
    },
    end: () => {
      const { totalCount = 0, nextCursor = null } = last ?? {};
      if (shown === 0) return { text: `Nothing there, in ${name}.\n` };
      const more = nextCursor === null ? '' : ` The rest: --all, or --cursor ${nextCursor}`;
      return { text: `\n${view.paint('dim', `${shown} of ${totalCount}.${more}`)}\n` };
    },
  };
}

export function entryColumns(view: View): Column<Entry>[] {
  return [
    { title: 'ID', text: ({ id }) => id, format: 'dim' },
    { title: 'WHEN', text: ({ createdAt }) => view.ago(createdAt), format: 'cyan' },
    { title: 'KIND', text: ({ kind }) => kind, optional: true },
    { title: 'TAGS', text: ({ tags }) => fitted(tags.join(','), TAGS_WIDTH), optional: true },
    {
      title: 'CONTENT',
      text: ({ content, status }) =>
        `${status === 'archived' || status === 'quarantined' ? `(${status}) ` : ''}${content}`,
      gives: true,
    },
  ];
}
