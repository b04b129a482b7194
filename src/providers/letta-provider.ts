/** The archival memory of a Letta agent as a provider. */

import type { DeclaringProvider, ProviderConfig } from '../domain/provider.ts';
import { pathName } from '../domain/entry.ts';
import { ForeignProvider, type ForeignMemories } from './foreign-provider.ts';
import { guardedProvider } from './guarded-provider.ts';
import { LettaPassages } from './letta-passages.ts';
import { callTo, configOf, serverConfigSchema, type ForeignProviderOptions } from './provider-config.ts';

const configSchema = serverConfigSchema.extend({ agentId: pathName });

/**
 * `initialize` takes `{ baseUrl, agentId, apiKey?, timeoutMs? }`. Letta changes no passages, keeps tags with them and no
 * other metadata, and gives scores that are no similarities: those are refused. See docs/providers.md.
 */
export function lettaProvider(options: ForeignProviderOptions = {}): DeclaringProvider {
  const connect = (config: ProviderConfig): ForeignMemories => {
    const { agentId, ...server } = configOf(configSchema, config);
    const { apiKey } = server;
    const headers: Record<string, string> = apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` };
    return new LettaPassages(callTo('The Letta server', server, headers, options), agentId);
  };
  return guardedProvider(
    new ForeignProvider({
      name: 'letta',
      version: '1',
      absent: ['embedding', 'update', 'metadata', 'threshold'],
      takenNames: new Set(),
      defaultThreshold: undefined,
      connect,
    }),
    options,
  );
}
