/** A list that grows by a page whenever more of it is wanted. */

import { useState } from 'preact/hooks';
import type { Memory } from '../../api/ask.ts';
import { useAnswer, type Answer } from '../../api/use-answer.ts';

const PAGE_SIZE = 100;

interface PageRequest {
  readonly limit: number;
  readonly cursor?: string;
}

interface Page<T> {
  readonly items: readonly T[];
  /** Null on the last page. */
  readonly nextCursor: string | null;
}

export interface Listed<T> extends Answer<readonly T[]> {
  readonly hasMore: boolean;
  readonly more: () => void;
}

export function useListed<T>(key: string, load: (memory: Memory, page: PageRequest) => Promise<Page<T>>): Listed<T> {
  const [pages, setPages] = useState(1);
  const { data, ...answer } = useAnswer(`${key} ${pages}`, async (memory) => {
    const items: T[] = [];
    let cursor: string | undefined;
    for (let at = 0; at < pages; at += 1) {
      const page = await load(memory, { limit: PAGE_SIZE, ...(cursor !== undefined && { cursor }) });
      items.push(...page.items);
      if (page.nextCursor === null) return { items, hasMore: false };
      cursor = page.nextCursor;
    }
    return { items, hasMore: true };
  });
  return {
    ...answer,
    data: data?.items,
    hasMore: data?.hasMore ?? false,
    more: () => setPages((before) => before + 1),
  };
}
