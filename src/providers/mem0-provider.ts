/** mem0 as a provider, self-hosted or on its platform. */

import { z } from 'zod';
import type { DeclaringProvider, ProviderConfig } from '../domain/provider.ts';
import { ForeignProvider, type ForeignMemories } from './foreign-provider.ts';
import { guardedProvider } from './guarded-provider.ts';
import { MEM0_NAMES } from './mem0-memories.ts';
import { Mem0Platform } from './mem0-platform.ts';
import { Mem0Server } from './mem0-server.ts';
import { callTo, configOf, serverConfigSchema, type ForeignProviderOptions } from './provider-config.ts';

const PLATFORM_URL = 'https://api.mem0.ai';

const configSchema = serverConfigSchema.extend({
  api: z.enum(['server', 'platform']).default('server'),
  baseUrl: z.string().min(1).optional(),
});

/** mem0's own least score: its scores are not calibrated, and 0.7 would leave nearly everything out. */
const DEFAULT_THRESHOLD = 0.1;

/**
 * `initialize` takes `{ baseUrl, apiKey?, api?: 'server' | 'platform', timeoutMs? }`. `server` (the default) is the open
 * source REST server, `platform` the hosted one, which needs a key and no base URL. See docs/providers.md.
 */
export function mem0Provider(options: ForeignProviderOptions = {}): DeclaringProvider {
  const connect = (config: ProviderConfig): ForeignMemories => connected(config, options);
  return guardedProvider(
    new ForeignProvider({
      name: 'mem0',
      version: '1',
      absent: ['embedding'],
      takenNames: MEM0_NAMES,
      defaultThreshold: DEFAULT_THRESHOLD,
      connect,
    }),
    options,
  );
}

function connected(config: ProviderConfig, options: ForeignProviderOptions): ForeignMemories {
  const { api, apiKey, timeoutMs, baseUrl } = configOf(
    configSchema.refine(
      ({ api: sort, baseUrl: url }) => sort === 'platform' || url !== undefined,
      'baseUrl: is missing',
    ),
    config,
  );
  const isPlatform = api === 'platform';
  const key = isPlatform ? { authorization: `Token ${apiKey ?? ''}` } : { 'x-api-key': apiKey ?? '' };
  const server = { baseUrl: baseUrl ?? PLATFORM_URL, timeoutMs };
  const call = callTo(`The mem0 ${api}`, server, apiKey === undefined ? {} : key, options);
  return isPlatform ? new Mem0Platform(call) : new Mem0Server(call);
}
