/** What a database holds, whole: as its archive gives it, and as its users see it. */

import { expect } from 'vitest';
import { COLLECTIONS } from '../src/domain/archive.ts';
import type { Lamina } from '../src/compose/lamina.ts';
import type { Archive, ArchivePage, Place } from '../src/ports/archive.ts';
import { ERASED_TENANT, TENANTS, USERS } from './copy-data.ts';

/** By tenant and collection. */
export type Holdings = Record<string, Record<string, readonly unknown[]>>;

/** Everything, in pages of a few. Users are sorted, because they come in any order. */
export async function holdingsOf(archive: Archive): Promise<Holdings> {
  const holdings: Holdings = {};
  for (const tenantId of await archive.tenants(100)) {
    const tenant: Record<string, readonly unknown[]> = {};
    for (const collection of COLLECTIONS) {
      tenant[collection] = await allOf<unknown>((after) => archive.read(tenantId, collection, 7, after));
    }
    tenant['users'] = (tenant['users'] as { id: string }[]).toSorted((a, b) => (a.id < b.id ? -1 : 1));
    holdings[tenantId] = tenant;
  }
  return { ...holdings, erasures: { all: await allOf<unknown>((after) => archive.readErasures(2, after)) } };
}

async function allOf<T>(read: (after?: Place) => Promise<ArchivePage<T>>): Promise<T[]> {
  const all: T[] = [];
  let page = await read();
  while (page.last !== undefined) {
    all.push(...page.items);
    page = await read(page.last);
  }
  return all;
}

/** What everyone sees by the interface. How often something was read is left out: seeing is reading. */
export async function sightOf(lamina: Lamina): Promise<unknown> {
  const seen: unknown[] = [];
  for (const tenantId of TENANTS) {
    for (const userId of USERS) {
      const memory = lamina.as({ tenantId, userId });
      const { memories, totalCount } = await memory.list({ layer: 'user', limit: 100 });
      seen.push(
        { memories, totalCount },
        await Promise.all(memories.map(({ id }) => memory.versions({ id }))),
        await Promise.all(memories.slice(0, 3).map(({ id }) => memory.get({ id, includeEmbedding: true }))),
        await memory.list({ layer: 'company', limit: 100 }),
        await memory.episodic.recent({ agentId: 'helper' }),
        await memory.procedural.list({}),
        await memory.search({ query: 'said twice', threshold: 0, limit: 20 }),
        await memory.facts.list({ includeClosed: true }),
        await memory.facts.neighbours({ subject: userId }),
        await memory.plans.list({}),
        await memory.sessions.list({}),
        await memory.planContexts.byCorrelation({ correlationId: `correlation of ${userId}` }),
        await memory.tasks.bySubtask({ subtaskId: `sub-task of ${userId}` }),
        await memory.working.list({ planId: `plan of ${userId}` }),
      );
    }
    const root = lamina.as({ tenantId, userId: 'root', roles: ['admin'] });
    seen.push(await root.keys.list({}), await root.admin.audit({}));
  }
  seen.push(await lamina.as({ tenantId: ERASED_TENANT, userId: 'root', roles: ['admin'] }).admin.audit({}));
  const text = JSON.stringify(seen, (name, value: unknown) => (ACCESSES.has(name) ? undefined : value));
  return JSON.parse(text);
}

const ACCESSES = new Set(['accessCount', 'lastAccessedAt']);

/** To be expected, but for last digits: engines add up a similarity in different orders. */
export function alike(value: unknown): unknown {
  if (typeof value === 'number') return expect.closeTo(value, 5);
  if (Array.isArray(value)) return value.map(alike);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, alike(field)]));
}
