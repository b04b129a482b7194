/** Several databases on one Redis: each has a prefix, and nothing of the others. */

import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Lamina } from '../src/compose/lamina.ts';
import type { Memory } from '../src/operations/memory.ts';
import { describeOnRedis, RedisServer } from './redis-server.ts';
import { openLamina, untilTestEnds } from './running-lamina.ts';

const ALICE = { userId: 'alice' };

async function live(memory: Memory, text: string): Promise<void> {
  await memory.working.set({ planId: 'p', key: 'k', value: text });
  await memory.shortTerm.write({ sessionId: 's', key: 'k', value: text });
}

async function valuesOf(lamina: Lamina): Promise<unknown[]> {
  const memory = lamina.as(ALICE);
  const items = [
    await memory.working.get({ planId: 'p', key: 'k' }),
    await memory.shortTerm.get({ sessionId: 's', key: 'k' }),
  ];
  return items.map((item) => item?.value);
}

describeOnRedis('a Redis that two databases share', () => {
  let server: RedisServer;
  beforeAll(async () => {
    server = await RedisServer.create();
  });
  afterAll(() => server.close());

  for (const redisFallback of ['none', 'database'] as const) {
    it(`keeps them apart by their prefixes, erasing too (fallback: ${redisFallback})`, async () => {
      await server.ask('FLUSHALL');
      const redis = { redis: server.url, redisFallback };
      const staging = untilTestEnds(await openLamina({ ...redis, redisPrefix: 'staging' })).lamina;
      const production = untilTestEnds(await openLamina(redis)).lamina;
      await live(staging.as(ALICE), 'tried');
      expect(await valuesOf(production)).toEqual([undefined, undefined]);
      await live(production.as(ALICE), 'meant');
      expect(await valuesOf(staging)).toEqual(['tried', 'tried']);

      const { admin } = staging.as({ userId: 'root', roles: ['admin'] });
      await admin.eraseUser({ userId: 'alice' });
      expect(await valuesOf(production)).toEqual(['meant', 'meant']);
      await admin.eraseTenant({ tenantId: '00000000-0000-0000-0000-000000000000' });
      expect(await valuesOf(production)).toEqual(['meant', 'meant']);
      const names = [...(await server.everything()).keys()];
      expect(names.filter((name) => !name.startsWith('lamina:'))).toEqual([]);
    });
  }

  it('refuses a prefix that a pattern would misread', async () => {
    await expect(openLamina({ redis: server.url, redisPrefix: 'a*' })).rejects.toMatchObject({
      code: 'CONFIGURATION_ERROR',
      message: expect.stringContaining('letters, digits and hyphens') as string,
    });
  });
});
