/** The memory contract over the embedded library with everything sealed. */

import { describe, it } from 'vitest';
import { memoryContract } from '../src/testing/memory-contract.ts';
import { memoryMasterKey } from './master-key.ts';
import { openLamina } from './running-lamina.ts';

memoryContract({ describe, it }, 'sealed', async (options) => {
  const { lamina, embedder, close } = await openLamina({ ...options, masterKey: memoryMasterKey() });
  return { embedder, as: (principal) => lamina.as(principal), close };
});
