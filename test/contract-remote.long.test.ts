/** The memory contract over the client, against a server that listens: the same answers, byte for byte. */

import { afterAll, describe, it } from 'vitest';
import { LaminaClient } from '../src/client/index.ts';
import type { Lamina } from '../src/compose/lamina.ts';
import { memoryContract } from '../src/testing/memory-contract.ts';
import { openLamina, serveLamina } from './running-lamina.ts';

/** Of the test that runs. The service stays: to make one takes longer than most tests. */
let lamina: Lamina;

const served = await serveLamina({
  invokeAs: (principal) => lamina.invokeAs(principal),
  followAs: (principal) => lamina.followAs(principal),
  health: () => lamina.health(),
});
afterAll(() => served.close());

memoryContract({ describe, it }, 'remote', async (options) => {
  const opened = await openLamina(options);
  lamina = opened.lamina;
  // A failure that a test provokes on purpose is not worth trying again.
  const client = new LaminaClient({ url: served.url, retry: { maxAttempts: 1 } });
  return {
    embedder: opened.embedder,
    as: (principal) => client.as(principal),
    close: async () => {
      for (const each of [client, opened]) await each.close();
    },
  };
});
