/** The memory contract and the engine contract over a real PostgreSQL server. */

import { describe, it } from 'vitest';
import { systemClock } from '../src/compose/system.ts';
import { engineContract } from '../src/testing/engine-contract.ts';
import { memoryContract } from '../src/testing/memory-contract.ts';
import { serverUnderTest } from './postgres-server-subject.ts';
import { describeOnPostgres } from './postgres-server.ts';
import { openLamina } from './running-lamina.ts';

const server = await serverUnderTest();

describeOnPostgres('PostgreSQL', () => {
  if (server === undefined) throw new Error('A server that was found could not be used.');

  engineContract({ describe, it }, 'PostgreSQL', server.subject);

  memoryContract({ describe, it }, 'PostgreSQL', async (options) => {
    const engine = await server.open(options?.clock ?? systemClock);
    const { lamina, embedder, close } = await openLamina({ ...options, engine });
    return { embedder, as: (principal) => lamina.as(principal), close };
  });
});
