/** Memory for one command: behind a service, or in this process as it is configured. */

import { LaminaClient } from '../client/lamina-client.ts';
import type { PrincipalInput } from '../domain/principal.ts';
import type { Memory } from '../operations/memory.ts';
import { hostTracing } from '../telemetry/open-telemetry-tracing.ts';
import type { Configuration } from './configuration.ts';
import { embedderOf } from './embedders.ts';
import { openEngine } from './engines.ts';
import { Lamina } from './lamina.ts';

export interface OpenMemory {
  readonly memory: Memory;
  close(): Promise<void>;
}

/** A command embeds more at once than any single call does. */
const TIMEOUT_MS = 15 * 60_000;

/** Throws `CONFIGURATION_ERROR` when the URL is none. */
export function memoryOfService(url: string, token: string | undefined, principal: PrincipalInput): OpenMemory {
  const client = new LaminaClient({ url, timeoutMs: TIMEOUT_MS, ...(token !== undefined && { token }) });
  return { memory: client.as(principal), close: () => client.close() };
}

/** Throws `CONFIGURATION_ERROR` and `UNAVAILABLE`, and then holds on to nothing. */
export async function memoryOfDatabase(configuration: Configuration, principal: PrincipalInput): Promise<OpenMemory> {
  const engine = await openEngine(configuration);
  try {
    const { limits } = configuration;
    const lamina = await Lamina.open({ engine, limits, embedder: embedderOf(configuration, hostTracing()) });
    return { memory: lamina.as(principal), close: () => lamina.close() };
  } catch (error) {
    await engine.close();
    throw error;
  }
}
