/** The memory contract over PostgreSQL in this process. */

import { describe, it } from 'vitest';
import { systemClock } from '../src/compose/system.ts';
import { memoryContract } from '../src/testing/memory-contract.ts';
import { pgliteUnderTest } from './postgres-subject.ts';
import { openLamina } from './running-lamina.ts';

const database = await pgliteUnderTest();

memoryContract({ describe, it }, 'PGlite', async (options) => {
  const engine = await database.open(options?.clock ?? systemClock);
  const { lamina, embedder, close } = await openLamina({ ...options, engine });
  return { embedder, as: (principal) => lamina.as(principal), close };
});
