/** Everything that the load of the crash tests can have left in a memory, as a client reads it. */

import type { Memory } from '../src/operations/memory.ts';
import type { Stand } from './crash-ledger.ts';
import { AGENT, cellOf } from './crash-steps.ts';
import type { Worker } from './crash-worker.ts';

const LIMIT = 100;

interface Page<Item> {
  readonly items: readonly Item[];
  readonly nextCursor: string | null;
}

async function allOf<Item>(read: (page: { limit: number; cursor?: string }) => Promise<Page<Item>>): Promise<Item[]> {
  const all: Item[] = [];
  let cursor: string | null = null;
  do {
    const page: Page<Item> = await read({ limit: LIMIT, ...(cursor !== null && { cursor }) });
    all.push(...page.items);
    cursor = page.nextCursor;
  } while (cursor !== null);
  return all;
}

export async function lookAtEverything(memory: Memory, workers: readonly Worker[]): Promise<Map<string, Stand>> {
  const seen = new Map<string, Stand>();
  const note = (cell: string, value: unknown, version: number): void => {
    if (seen.has(cell)) throw new Error(`Listed twice: ${cell}`);
    seen.set(cell, { value, version });
  };
  const entries = await allOf(async (page) => {
    const { memories: items, nextCursor } = await memory.list({ layer: 'user', ...page });
    return { items, nextCursor };
  });
  for (const { id, content, version } of entries) note(cellOf.entry(id), content, version);
  const episodes = await allOf(async (page) => {
    const { episodes: items, nextCursor } = await memory.episodic.recent({ agentId: AGENT, ...page });
    return { items, nextCursor };
  });
  for (const { id, content, version } of episodes) note(cellOf.entry(id), content, version);
  const plans = await allOf(async (page) => {
    const { plans: items, nextCursor } = await memory.plans.list(page);
    return { items, nextCursor };
  });
  for (const { planId, state, version } of plans) note(cellOf.plan(planId), state, version);
  const facts = await allOf(async (page) => {
    const { facts: items, nextCursor } = await memory.facts.list({ includeClosed: true, ...page });
    return { items, nextCursor };
  });
  for (const { factId, object, metadata, version } of facts) note(cellOf.fact(factId), { object, metadata }, version);
  const lookAtState = async ({ planId, poolId }: Worker): Promise<void> => {
    const working = await allOf((page) => memory.working.list({ planId, ...page }));
    for (const { key, value, version } of working) note(cellOf.working(planId, key), value, version);
    const values = await allOf(async (page) => {
      const { values: items, nextCursor } = await memory.pools.readAll({ poolId, ...page });
      return { items, nextCursor };
    });
    for (const { key, value, version } of values) note(cellOf.pool(poolId, key), value, version);
  };
  await Promise.all(workers.map(lookAtState));
  return seen;
}
