/** Follows a log: reads from a position, waits for a hint that there is more, and goes on. */

import type { StreamPage } from '../../domain/stream.ts';
import { Bell } from './bell.ts';

/** Items in memory at once, for each who follows. */
const PAGE_SIZE = 100;

/** What is followed, as one principal sees it. */
export interface Followed<Item> {
  /** The position of now. */
  head(): Promise<string>;
  /** Fewer than `limit` means that there are no more for now. */
  read(after: string, limit: number): Promise<StreamPage<Item>>;
  /** Calls `wake` when there may be something new, or something to look at again. Returns how to stop. */
  watch(wake: () => void): () => void;
}

/**
 * Everything after the position, or from now on, once and in order, until the signal aborts. The first page comes at once,
 * and gives the starting position; a page without items only advances the position. Throws `VALIDATION_FAILED` for an
 * invalid position.
 */
export async function* follow<Item>(
  source: Followed<Item>,
  after: string | undefined,
  signal: AbortSignal,
): AsyncGenerator<StreamPage<Item>, void> {
  const bell = new Bell(signal);
  const unwatch = source.watch(() => bell.ring());
  try {
    let page: StreamPage<Item> =
      after === undefined ? { items: [], position: await source.head() } : await source.read(after, PAGE_SIZE);
    yield page;
    while (!signal.aborted) {
      if (page.items.length < PAGE_SIZE) await bell.rung();
      if (signal.aborted) return;
      const before = page.position;
      page = await source.read(before, PAGE_SIZE);
      if (page.items.length > 0 || page.position !== before) yield page;
    }
  } finally {
    unwatch();
    bell.dispose();
  }
}
