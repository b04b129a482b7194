/** Prints lists that come in pages: a table for people, an item in JSON on each line for machines. */

import type { PrincipalInput } from '../../domain/principal.ts';
import type { Memory } from '../../operations/memory.ts';
import { JSON_FLAG, type Flag, type Given } from '../command.ts';
import { EXIT_CODES } from '../exit-code.ts';
import { countFrom } from '../flag-values.ts';
import { memoryName, readMemory } from '../open-memory.ts';
import type { Column } from './text-table.ts';
import { viewOf, type View } from './view.ts';
import { betweenPages } from './stop-signal.ts';

const DEFAULT_LIMIT = 50;
const PAGE_SIZE = 100;

export const LIST_FLAGS: readonly Flag[] = [
  { name: 'limit', value: 'N', description: 'How many at most', fallback: String(DEFAULT_LIMIT) },
  { ...JSON_FLAG, description: 'An item in JSON on each line, for machines' },
];

export interface PageSource<T> {
  readonly principal: PrincipalInput;
  read(
    memory: Memory,
    page: { readonly limit: number; readonly cursor?: string },
  ): Promise<{ readonly items: readonly T[]; readonly nextCursor: string | null }>;
  readonly columns: (view: View) => readonly Column<T>[];
}

/** Resolves with the exit code. */
export function printPages<T>(given: Given, source: PageSource<T>): Promise<number> {
  const most = countFrom(given, 'limit', 1) ?? DEFAULT_LIMIT;
  return readMemory(given, source.principal, async (memory) => {
    const items: T[] = [];
    let cursor: string | undefined;
    while (items.length < most) {
      await betweenPages(given.signal);
      const limit = Math.min(PAGE_SIZE, most - items.length);
      const page = await source.read(memory, { limit, ...(cursor !== undefined && { cursor }) });
      items.push(...page.items);
      cursor = page.nextCursor ?? undefined;
      if (cursor === undefined) break;
    }
    printItems(given, items, source.columns, await memoryName(given));
    if (cursor !== undefined) given.terminal.stderr.write('There are more: raise --limit.\n');
    return EXIT_CODES.ok.code;
  });
}

export function printItems<T>(
  given: Given,
  items: readonly T[],
  columns: PageSource<T>['columns'],
  name: string,
): void {
  const view = viewOf(given);
  const lines = given.has('json') ? items.map((item) => JSON.stringify(item)) : view.table(items, columns(view));
  const nothing = given.has('json') ? '' : `Nothing there, in ${name}.\n`;
  given.terminal.stdout.write(items.length === 0 ? nothing : `${lines.join('\n')}\n`);
}
