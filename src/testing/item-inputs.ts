/** Items for the contract suites, and what an agent has of them. */

import assert from 'node:assert/strict';
import type { Memory } from '../operations/memory.ts';
import type { OperationInput } from '../operations/table.ts';

export type StoreItem = OperationInput<'items.store'>['items'][number];

/** Something to store: knowledge wherever the agent works, unless told otherwise. */
export function item(content: string, more: Partial<StoreItem> = {}): StoreItem {
  return { tier: 'SemanticMemory', scope: 'GlobalScope', source: 'UserSource', content, ...more };
}

/** The contents of every item, over all pages. */
export async function itemsOf(memory: Memory, where: Partial<OperationInput<'items.list'>> = {}): Promise<string[]> {
  const contents: string[] = [];
  let cursor: string | null | undefined;
  do {
    const page = await memory.items.list({ agentId: 'assistant', limit: 3, ...where, ...(cursor && { cursor }) });
    assert.equal(page.count, page.items.length);
    contents.push(...page.items.map(({ content }) => content));
    cursor = page.nextCursor;
  } while (cursor !== null);
  return contents;
}
