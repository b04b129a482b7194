/** Pages through a layer until there is enough, or no more. */

import type { Entry } from '../domain/entry.ts';
import type { OperationInput } from '../operations/table.ts';
import type { Memory } from '../operations/memory.ts';
import { betweenPages } from './terminal/stop-signal.ts';

const PAGE_SIZE = 100;

export interface EntryPage {
  readonly memories: readonly Entry[];
  readonly totalCount: number;
  /** Null where there are no more. */
  readonly nextCursor: string | null;
}

/** At most `most` in all. Stops between pages when the signal says so, and throws its reason. */
export async function* entryPages(
  memory: Memory,
  input: OperationInput<'list'>,
  most: number,
  signal: AbortSignal,
): AsyncGenerator<EntryPage, void> {
  let left = most;
  let { cursor } = input;
  while (left > 0) {
    await betweenPages(signal);
    const limit = Math.min(PAGE_SIZE, left);
    const page = await memory.list({ ...input, limit, ...(cursor !== undefined && { cursor }) });
    yield page;
    left -= page.memories.length;
    if (page.nextCursor === null) return;
    cursor = page.nextCursor;
  }
}
