/** Memory in this process as it is configured, for one command. */

import type { PrincipalInput } from '../domain/principal.ts';
import { hostTracing } from '../telemetry/open-telemetry-tracing.ts';
import type { Configuration } from './configuration.ts';
import { openConfigured } from './configured-lamina.ts';
import type { OpenMemory } from './remote-memory.ts';

/** Throws `CONFIGURATION_ERROR` and `UNAVAILABLE`, and then holds on to nothing. */
export async function databaseMemory(configuration: Configuration, principal: PrincipalInput): Promise<OpenMemory> {
  const { lamina } = await openConfigured(configuration, { tracing: hostTracing() });
  return { memory: lamina.as(principal), as: (other) => lamina.as(other), close: () => lamina.close() };
}
