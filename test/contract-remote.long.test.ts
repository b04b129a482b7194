/** The memory contract over the client, against a server that listens: the same answers, byte for byte. */

import { describe, it } from 'vitest';
import { LaminaClient } from '../src/client/index.ts';
import { memoryContract } from '../src/testing/memory-contract.ts';
import { openLamina, serveLamina } from './running-lamina.ts';

memoryContract({ describe, it }, 'remote', async (options) => {
  const opened = await openLamina(options);
  const served = await serveLamina(opened.lamina);
  // A failure that a test provokes on purpose is not worth trying again.
  const client = new LaminaClient({ url: served.url, retry: { maxAttempts: 1 } });
  return {
    embedder: opened.embedder,
    as: (principal) => client.as(principal),
    close: async () => {
      for (const each of [client, served, opened]) await each.close();
    },
  };
});
