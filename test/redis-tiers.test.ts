/** Working and short-term memory, the router over them, and bundles of them, with Redis as the hot store and SQLite for the rest. */

import { afterAll, beforeAll, describe, it } from 'vitest';
import { agentMemoryContract } from '../src/testing/contract-agent-memory.ts';
import { bundleContract } from '../src/testing/contract-bundle.ts';
import { routerContract } from '../src/testing/contract-router.ts';
import { shortTermContract } from '../src/testing/contract-short-term.ts';
import type { OpenMemory } from '../src/testing/contract-subject.ts';
import { describeOnRedis, RedisServer } from './redis-server.ts';
import { openLamina } from './running-lamina.ts';

describeOnRedis('tiers over Redis', () => {
  let server: RedisServer;
  beforeAll(async () => {
    server = await RedisServer.create();
  });
  afterAll(() => server.close());

  const open: OpenMemory = async (options) => {
    await server.ask('FLUSHALL');
    const { lamina, embedder, close } = await openLamina({ ...options, redis: server.url });
    return { embedder, as: (principal) => lamina.as(principal), close };
  };
  agentMemoryContract({ describe, it }, open);
  shortTermContract({ describe, it }, open);
  routerContract({ describe, it }, open);
  bundleContract({ describe, it }, open);
});
