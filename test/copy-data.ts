/** A rich set of data for copies, made through the interface: something of everything that can be stored. */

import { Lamina } from '../src/compose/lamina.ts';
import type { Memory } from '../src/operations/memory.ts';
import type { Clock } from '../src/ports/clock.ts';
import type { Engine } from '../src/ports/engine.ts';
import { HashEmbedder } from '../src/testing/hash-embedder.ts';
import type { ManualClock } from '../src/testing/manual-clock.ts';
import { SeededRandom } from '../src/testing/seeded-random.ts';
import { makeTiers } from './copy-tiers.ts';

export const TENANTS = ['0a000000-0000-4000-8000-000000000001', '0b000000-0000-4000-8000-000000000002'] as const;
export const ERASED_TENANT = '0c000000-0000-4000-8000-000000000003';
/** In an order that depends on the language that sorts them. */
export const USERS = ['zoë', 'Ben', 'alice', 'ANNA', 'émile'] as const;
export const ERASED_USER = 'mallory';

const HOUR_MS = 3_600_000;
const ENTRIES_PER_USER = 8;

export interface MadeData {
  /** API keys as their holders have them. */
  readonly keys: readonly string[];
  /** The last version that was given to a value which is gone, by tenant. */
  readonly goneVersions: readonly number[];
}

/** Memory over an engine that stays open. */
export function laminaOver(engine: Engine, clock: Clock, embedder: HashEmbedder = new HashEmbedder()): Promise<Lamina> {
  const kept = { ...engine, size: () => engine.size(), check: () => engine.check(), close: async () => {} };
  return Lamina.open({ engine: kept, clock, embedder });
}

/** Closes the engine, so that also the accesses are written. */
export async function makeData(engine: Engine, clock: ManualClock): Promise<MadeData> {
  const random = new SeededRandom(41);
  const keys: string[] = [];
  const goneVersions: number[] = [];
  const lamina = await laminaOver(engine, clock);
  // Another model, as after a change of it.
  const other = await laminaOver(engine, clock, new HashEmbedder({ dims: 24 }));
  for (const tenantId of TENANTS) {
    for (const userId of [...USERS, ERASED_USER]) {
      clock.advance(1000);
      await makeEntries(lamina.as({ tenantId, userId, agentId: 'helper' }), random);
      await makeRecords(lamina.as({ tenantId, userId }), userId, random);
      await makeTiers(engine, { tenantId, userId }, clock);
      await other.as({ tenantId, userId }).add({ content: random.words(6), layer: 'user' });
    }
    const root = lamina.as({ tenantId, userId: 'root', roles: ['admin'] });
    keys.push(...(await makeAdministration(root)));
    goneVersions.push((await root.working.set({ planId: 'gone', key: 'gone', value: 1 })).version);
    await root.working.delete({ planId: 'gone', key: 'gone' });
  }
  const gone = lamina.as({ tenantId: ERASED_TENANT, userId: 'root', roles: ['admin'] });
  await gone.add({ content: 'what is erased with its tenant', layer: 'user' });
  await gone.admin.eraseTenant({ tenantId: ERASED_TENANT });
  // What was to expire has.
  clock.advance(2 * HOUR_MS);
  await Promise.all([lamina.close(), other.close()]);
  await engine.close();
  return { keys, goneVersions };
}

async function makeEntries(memory: Memory, random: SeededRandom): Promise<void> {
  for (let index = 0; index < ENTRIES_PER_USER; index += 1) {
    const { memory: user } = await memory.add({
      content: random.words(8),
      layer: 'user',
      metadata: { nested: { list: [1, 2.5, 'three', null], '10': true, b: { a: 1 } }, index },
      tags: ['tag', `tag-${index}`],
      importance: random.next(),
      ...(index % 2 === 0 && { externalId: `external-${index}` }),
    });
    if (index % 3 === 0) await memory.update({ id: user.id, content: random.words(8) });
    if (index % 3 === 1) await memory.update({ id: user.id, metadata: { changed: true }, visibility: 'shared' });
  }
  await memory.add({ content: `ünïcode 🜚 ${random.words(4)}`, layer: 'agent', sensitivity: 'restricted' });
  await memory.add({
    content: random.words(7),
    layer: 'project',
    identifiers: { projectId: 'p' },
    visibility: 'private',
  });
  await memory.add({ content: random.words(7), layer: 'company', knowledgePointer: pointer() });
  await memory.add({
    content: '…',
    layer: 'team',
    identifiers: { teamId: random.word() },
    source: { type: 'import', reference: 'r' },
  });
  await memory.add({ content: random.words(5), layer: 'user', expiresAt: '2026-03-04T08:30:00.000Z' });
  await memory.episodic.log({
    role: 'user',
    content: 'said twice',
    sessionId: 's',
    turn: 1,
    occurredAt: '2025-05-05T05:05:05.005Z',
  });
  await memory.episodic.log({ role: 'assistant', content: 'said twice', sessionId: 's', turn: 2 });
  await memory.procedural.add({
    content: random.words(9),
    triggerCondition: random.words(3),
    procedureType: 'system_prompt',
  });
  const { memory: doomed } = await memory.add({ content: random.words(4), layer: 'user' });
  await memory.delete({ id: doomed.id });
  await memory.search({ query: 'said twice', threshold: 0, limit: 5 });
}

function pointer() {
  return { sourceType: 'spec', sourceId: 'id', contentHash: 'hash', syncedAt: '2026-01-01T00:00:00.000Z' } as const;
}

async function makeRecords(memory: Memory, userId: string, random: SeededRandom): Promise<void> {
  const planId = `plan of ${userId}`;
  await memory.sessions.create({ sessionId: `session of ${userId}`, name: 'name', metadata: { a: [1, { b: null }] } });
  await memory.plans.create({ planId, goalEvent: 'goal', goalData: { z: 1, a: 2 }, sessionId: `session of ${userId}` });
  await memory.plans.update({ planId, status: 'paused', state: { step: random.below(9) } });
  await memory.planContexts.save({
    planId,
    goalEvent: 'goal',
    state: { states: { one: {} } },
    currentState: 'one',
    correlationIds: [`correlation of ${userId}`],
  });
  await memory.tasks.save({
    taskId: `task of ${userId}`,
    planId,
    eventType: 'event',
    subTasks: [`sub-task of ${userId}`],
  });
  const lives = { factType: 'home', subject: userId, predicate: 'lives in', cardinality: 'one' } as const;
  await memory.facts.add({ ...lives, object: random.word(), validFrom: '2020-02-02T00:00:00Z', confidence: 0.1 + 0.2 });
  await memory.facts.add({ ...lives, object: 'Ō', metadata: { b: 1e21, a: [null] }, source: { type: 'manual' } });
  await memory.facts.add({ ...lives, layer: 'company', object: 'town', validTo: '2999-09-09T00:00:00Z' });
  await memory.working.set({ planId, key: 'null', value: null });
  await memory.working.set({ planId, key: 'ключ', value: { nested: [1e21, -0.1, 'text', { '2': 1, '1': 2 }] } });
  await memory.working.increment({ planId, key: 'count' });
  await memory.working.increment({ planId, key: 'count' });
  await memory.working.set({ planId, key: 'short', value: 1, ttlSeconds: 60 });
  await memory.working.set({ planId, key: 'long', value: 'x', ttlSeconds: 86_400 });
}

async function makeAdministration(root: Memory): Promise<string[]> {
  const { key } = await root.keys.create({ name: 'of somebody who never came', userId: 'stranger', expiresInDays: 9 });
  const { key: revoked, keyId } = await root.keys.create({ name: 'revoked', userId: USERS[0], roles: ['admin'] });
  await root.keys.revoke({ keyId });
  await root.admin.eraseUser({ userId: ERASED_USER });
  return [key, revoked];
}
