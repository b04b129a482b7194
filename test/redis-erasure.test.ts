/** Erasing people and tenants of whom part lies in Redis: nothing is left there, and it is counted. */

import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Memory } from '../src/operations/memory.ts';
import { describeOnRedis, RedisServer } from './redis-server.ts';
import { openLamina, untilTestEnds } from './running-lamina.ts';

const TENANTS = ['00000000-0000-4000-8000-00000000000a', '00000000-0000-4000-8000-00000000000b'] as const;

/** Five values in Redis, each of them somewhere else. */
async function live(memory: Memory, name: string, other: string): Promise<void> {
  await memory.plans.create({ planId: `plan of ${name}`, goalEvent: 'go' });
  await memory.working.set({ planId: `plan of ${name}`, key: 'k', value: `${name} plans` });
  await memory.agentMemory.store({ agentId: 'advisor', taskId: 't', key: 'k', value: `${name} works` });
  await memory.shortTerm.write({ sessionId: 's', key: 'k', value: `${name} talks` });
  const share = { agentId: 'advisor', key: 'k', value: `${name} shares` };
  await memory.agentMemory.share({ ...share, targetAgentId: 'writer' });
  await memory.agentMemory.share({ ...share, targetUserId: other });
}

describeOnRedis('erasing from Redis', () => {
  let server: RedisServer;
  beforeAll(async () => {
    server = await RedisServer.create();
  });
  afterAll(() => server.close());

  const everything = async (): Promise<string> => JSON.stringify([...(await server.everything())]);

  for (const redisFallback of ['none', 'database'] as const) {
    it(`leaves nothing of a user, then nothing of a tenant (fallback: ${redisFallback})`, async () => {
      await server.ask('FLUSHALL');
      const { lamina } = untilTestEnds(await openLamina({ redis: server.url, redisFallback }));
      for (const tenantId of TENANTS) {
        await live(lamina.as({ tenantId, userId: 'alice' }), 'alice', 'bob');
        await live(lamina.as({ tenantId, userId: 'bob' }), 'bob', 'alice');
      }
      const [tenantId, otherId] = TENANTS;
      const { admin } = lamina.as({ tenantId, userId: 'root', roles: ['admin'] });
      const all = await everything();
      expect(all.match(new RegExp(`{${tenantId}}:s:`, 'g'))).toHaveLength(10);

      const receipt = await admin.eraseUser({ userId: 'alice' });
      // Her own five, and what bob has put into her inbox.
      expect(receipt.counts.state).toBe(6);
      const { erasureId } = receipt;
      expect(await admin.verifyErasure({ erasureId, userId: 'alice' })).toMatchObject({ verified: true });
      const ofTenant = [...(await server.everything())].filter(([name]) => name.includes(tenantId));
      expect(JSON.stringify(ofTenant)).not.toContain('alice');
      expect(JSON.stringify(ofTenant)).toContain('bob');

      const gone = await admin.eraseTenant({ tenantId });
      expect(gone.counts.state).toBe(4);
      const verified = await admin.verifyErasure({ erasureId: gone.erasureId, tenantId });
      expect(verified).toMatchObject({ verified: true, remaining: { state: 0 } });
      expect(await everything()).not.toContain(tenantId);
      expect((await everything()).match(new RegExp(`{${otherId}}:s:`, 'g'))).toHaveLength(10);
      await lamina.as({ tenantId: otherId, userId: 'root', roles: ['admin'] }).admin.eraseTenant({ tenantId: otherId });
      expect(await server.everything()).toEqual(new Map());
    });
  }

  it('fails while Redis is down, and then nothing was erased', async () => {
    const own = untilTestEnds(await RedisServer.create());
    const opened = await openLamina({ redis: own.url, redisFallback: 'database' });
    const { lamina, root } = untilTestEnds(opened);
    const alice = lamina.as({ userId: 'alice' });
    const { memory } = await alice.add({ content: 'Alice likes tea', layer: 'user' });
    await own.kill();
    await expect(root.admin.eraseUser({ userId: 'alice' })).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    expect(await alice.get({ id: memory.id })).not.toBeNull();
    expect((await root.admin.audit({})).entries).toEqual([]);
  });
});
