/** Memory in this process with everything that is configured, for a command that runs for long. */

import type { PrincipalInput } from '../domain/principal.ts';
import type { Configuration } from './configuration.ts';
import { openConfigured } from './configured-lamina.ts';
import { releaseAll } from './release-all.ts';
import type { OpenMemory } from './remote-memory.ts';
import { openTracing } from './tracing.ts';
import { upkeepOf } from './upkeep.ts';

/**
 * Also does the background work, if no other process does. Throws `CONFIGURATION_ERROR` and `UNAVAILABLE`, and then holds
 * on to nothing.
 */
export async function embeddedMemory(
  configuration: Configuration,
  principal: PrincipalInput,
  version: string,
): Promise<OpenMemory> {
  const traces = await openTracing(configuration, version);
  const { tracing } = traces;
  try {
    const { lamina, engine } = await openConfigured(configuration, { tracing });
    engine.leadership.campaign((signal) => lamina.keepUp(upkeepOf(configuration), signal));
    const close = (): Promise<void> => releaseAll([() => lamina.close(), () => traces.close()]);
    return { memory: lamina.as(principal), as: (other) => lamina.as(other), close };
  } catch (error) {
    await traces.close();
    throw error;
  }
}
