/** The memory contract over a real PostgreSQL server with everything sealed. */

import { describe, it } from 'vitest';
import { systemClock } from '../src/compose/system.ts';
import { memoryContract } from '../src/testing/memory-contract.ts';
import { memoryMasterKey } from './master-key.ts';
import { serverUnderTest } from './postgres-server-subject.ts';
import { describeOnPostgres } from './postgres-server.ts';
import { openLamina } from './running-lamina.ts';

const server = await serverUnderTest();

describeOnPostgres('sealed PostgreSQL', () => {
  if (server === undefined) throw new Error('A server that was found could not be used.');

  memoryContract({ describe, it }, 'sealed PostgreSQL', async (options) => {
    const engine = await server.open(options?.clock ?? systemClock);
    const { lamina, embedder, close } = await openLamina({ ...options, engine, masterKey: memoryMasterKey() });
    return { embedder, as: (principal) => lamina.as(principal), close };
  });
});
