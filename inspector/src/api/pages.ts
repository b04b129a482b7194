/** A long list that is loaded page by page as one scrolls. Pages far from what is seen are let go and loaded again. */

import { signal, type ReadonlySignal } from '@preact/signals';
import { asLaminaError, type LaminaError } from '../../../src/domain/error.ts';
import { isAborted } from './ask.ts';

export interface PageOf<T> {
  readonly items: readonly T[];
  /** Null on the last page. */
  readonly nextCursor: string | null;
  readonly totalCount: number;
}

export type LoadPage<T> = (cursor: string | undefined, signal: AbortSignal) => Promise<PageOf<T>>;

export interface Pages<T> {
  /** Counts up whenever anything below changed; read it where you draw. */
  readonly version: ReadonlySignal<number>;
  /** How many are known so far. */
  readonly count: number;
  readonly totalCount: number | undefined;
  readonly hasMore: boolean;
  readonly error: LaminaError | undefined;
  /** Undefined while its page is not there. */
  at(index: number): T | undefined;
  /** Loads what is needed to show these, and the next page when the end is near. */
  ensure(start: number, end: number): void;
  /** After a failure. */
  retry(): void;
  /** Changes or, with undefined, empties what is loaded, item by item. */
  replace(change: (item: T) => T): void;
  close(): void;
}

interface Page<T> {
  readonly start: number;
  readonly size: number;
  readonly cursor: string | undefined;
  items: readonly T[] | undefined;
}

/** So many pages are kept around what is seen. */
const KEPT = 30;
/** So many rows before the end the next page is asked for. */
const AHEAD = 60;

export function createPages<T>(load: LoadPage<T>): Pages<T> {
  const version = signal(0);
  const controller = new AbortController();
  const pages: Page<T>[] = [];
  const loading = new Set<number>();
  let next: string | undefined | null;
  let totalCount: number | undefined;
  let error: LaminaError | undefined;
  let seen = { start: 0, end: 0 };

  const told = (): void => {
    if (!controller.signal.aborted) version.value += 1;
  };
  const count = (): number => {
    const last = pages.at(-1);
    return last === undefined ? 0 : last.start + last.size;
  };
  const letGo = (): void => {
    const from = pageIndexOf(pages, seen.start);
    for (const [at, page] of pages.entries()) if (Math.abs(at - from) > KEPT / 2) page.items = undefined;
  };

  const fetchPage = async (at: number): Promise<void> => {
    if (loading.has(at) || controller.signal.aborted) return;
    loading.add(at);
    const known = pages[at];
    const cursor = known === undefined ? (next ?? undefined) : known.cursor;
    try {
      const page = await load(cursor, controller.signal);
      error = undefined;
      totalCount = page.totalCount;
      if (known === undefined) {
        pages.push({ start: count(), size: page.items.length, cursor, items: page.items });
        next = page.nextCursor;
      } else known.items = page.items.slice(0, known.size);
      letGo();
    } catch (thrown) {
      if (isAborted(thrown)) return;
      error = asLaminaError(thrown);
    } finally {
      loading.delete(at);
    }
    told();
    if (error === undefined) ensure(seen.start, seen.end);
  };

  const ensure = (start: number, end: number): void => {
    seen = { start, end };
    const [from, to] = [pageIndexOf(pages, start), pageIndexOf(pages, end)];
    for (let at = from; at <= to; at += 1) {
      const page = pages[at];
      if (page !== undefined && page.items === undefined) void fetchPage(at);
    }
    if (next !== null && error === undefined && end + AHEAD >= count()) void fetchPage(pages.length);
  };

  void fetchPage(0);
  return {
    version,
    get count() {
      return count();
    },
    get totalCount() {
      return totalCount;
    },
    get hasMore() {
      return next !== null;
    },
    get error() {
      return error;
    },
    at: (index) => {
      const page = pages[pageIndexOf(pages, index)];
      return page?.items?.[index - page.start];
    },
    ensure,
    retry: () => {
      error = undefined;
      ensure(seen.start, seen.end);
      told();
    },
    replace: (change) => {
      for (const page of pages) page.items = page.items?.map(change);
      told();
    },
    close: () => controller.abort(),
  };
}

/** By halves: there may be ten thousand pages. */
function pageIndexOf(pages: readonly { readonly start: number }[], index: number): number {
  let [low, high] = [0, Math.max(0, pages.length - 1)];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((pages[middle]?.start ?? 0) <= index) low = middle;
    else high = middle - 1;
  }
  return low;
}
