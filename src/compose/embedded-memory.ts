/** Memory in this process with everything that is configured, for a command that runs for long. */

import type { PrincipalInput } from '../domain/principal.ts';
import type { Configuration } from './configuration.ts';
import { embedderMaker, embedderOf } from './embedders.ts';
import { openEngine } from './engines.ts';
import { Lamina } from './lamina.ts';
import { languageModelOf } from './language-models.ts';
import { qdrantOf } from './qdrant-options.ts';
import { rerankerOf } from './rerankers.ts';
import type { OpenMemory } from './remote-memory.ts';
import { openTracing } from './tracing.ts';
import { upkeepOf } from './upkeep.ts';

/**
 * Where no other process does, it also does what has to be done in the background. Throws `CONFIGURATION_ERROR` and
 * `UNAVAILABLE`, and then holds on to nothing.
 */
export async function embeddedMemory(
  configuration: Configuration,
  principal: PrincipalInput,
  version: string,
): Promise<OpenMemory> {
  const traces = await openTracing(configuration, version);
  const { tracing } = traces;
  const { limits, redisUrl: redis, redisFallback, lifecycle, turn, quarantine, reranking } = configuration;
  try {
    const engine = await openEngine(configuration);
    const qdrant = qdrantOf(configuration);
    const languageModel = languageModelOf(configuration.languageModel);
    const embedder = embedderOf(configuration, tracing);
    const embedderFor = embedderMaker(configuration, tracing);
    const models = { embedder, embedderFor, languageModel, reranker: rerankerOf(configuration.reranker, tracing) };
    const stores = { engine, redis, redisFallback, qdrant };
    try {
      const lamina = await Lamina.open({
        ...stores,
        ...models,
        limits,
        lifecycle,
        turn,
        quarantine,
        reranking,
        tracing,
      });
      engine.leadership.campaign((signal) => lamina.keepUp(upkeepOf(configuration), signal));
      const close = async (): Promise<void> => {
        try {
          await lamina.close();
        } finally {
          await traces.close();
        }
      };
      return { memory: lamina.as(principal), as: (other) => lamina.as(other), close };
    } catch (error) {
      await embedder.close();
      await engine.close();
      throw error;
    }
  } catch (error) {
    await traces.close();
    throw error;
  }
}
