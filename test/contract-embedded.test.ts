/** The memory contract over the embedded library. */

import { describe, it } from 'vitest';
import { memoryContract } from '../src/testing/memory-contract.ts';
import { openLamina } from './running-lamina.ts';

memoryContract({ describe, it }, 'embedded', async (options) => {
  const { lamina, embedder, close } = await openLamina(options);
  return { embedder, as: (principal) => lamina.as(principal), close };
});
