/** The provider contract over Lamina, embedded and remote. */

import { describe, it } from 'vitest';
import { LaminaClient } from '../src/client/index.ts';
import { laminaProvider } from '../src/providers/lamina-provider.ts';
import { providerContract } from '../src/testing/provider-contract.ts';
import { openLamina, serveLamina } from './running-lamina.ts';

const userId = 'alice';

providerContract({ describe, it }, 'lamina, embedded', async () => {
  const opened = await openLamina();
  const { lamina, embedder } = opened;
  return { provider: laminaProvider(lamina, { userId }, { embedder }), userId, close: () => opened.close() };
});

providerContract({ describe, it }, 'lamina, remote', async () => {
  const opened = await openLamina();
  const served = await serveLamina(opened.lamina);
  const client = new LaminaClient({ url: served.url });
  return {
    provider: laminaProvider(client, { userId }),
    userId,
    close: async () => {
      for (const each of [client, served, opened]) await each.close();
    },
  };
});
