/** The memory contract over the client, against a server that listens: the same answers, byte for byte. */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'vitest';
import { LaminaClient } from '../src/client/index.ts';
import { Lamina } from '../src/compose/lamina.ts';
import { createServer } from '../src/server/create-server.ts';
import { HashEmbedder } from '../src/testing/hash-embedder.ts';
import { memoryContract } from '../src/testing/memory-contract.ts';

memoryContract({ describe, it }, 'remote', async (options = {}) => {
  const folder = await mkdtemp(join(tmpdir(), 'lamina-remote-'));
  const embedder = new HashEmbedder();
  const lamina = await Lamina.open({ folder, embedder, ...options });
  const server = createServer({
    invokeAs: (principal) => lamina.invokeAs(principal),
    health: () => lamina.health(),
    metrics: async () => '',
    version: '0.0.0',
    logger: { level: 'silent' },
  });
  const url = await server.listen({ host: '127.0.0.1', port: 0 });
  // A failure that a test provokes on purpose is not worth trying again.
  const client = new LaminaClient({ url, retry: { maxAttempts: 1 } });
  return {
    embedder,
    as: (principal) => client.as(principal),
    close: async () => {
      await client.close();
      await server.close();
      await lamina.close();
      await rm(folder, { recursive: true });
    },
  };
});
