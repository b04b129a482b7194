/** The memory contract over the embedded library. */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'vitest';
import { Lamina } from '../src/compose/lamina.ts';
import { HashEmbedder } from '../src/testing/hash-embedder.ts';
import { memoryContract } from '../src/testing/memory-contract.ts';

memoryContract({ describe, it }, 'embedded', async (options = {}) => {
  const folder = await mkdtemp(join(tmpdir(), 'lamina-embedded-'));
  const embedder = new HashEmbedder();
  const lamina = await Lamina.open({ folder, embedder, ...options });
  return {
    embedder,
    as: (principal) => lamina.as(principal),
    close: async () => {
      await lamina.close();
      await rm(folder, { recursive: true });
    },
  };
});
