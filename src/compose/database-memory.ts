/** Memory in this process as it is configured, for one command. */

import type { PrincipalInput } from '../domain/principal.ts';
import { hostTracing } from '../telemetry/open-telemetry-tracing.ts';
import type { Configuration } from './configuration.ts';
import { embedderMaker, embedderOf } from './embedders.ts';
import { openEngine } from './engines.ts';
import { Lamina } from './lamina.ts';
import { languageModelOf } from './language-models.ts';
import { qdrantOf } from './qdrant-options.ts';
import type { OpenMemory } from './remote-memory.ts';
import { rerankerOf } from './rerankers.ts';

/** Throws `CONFIGURATION_ERROR` and `UNAVAILABLE`, and then holds on to nothing. */
export async function databaseMemory(configuration: Configuration, principal: PrincipalInput): Promise<OpenMemory> {
  const engine = await openEngine(configuration);
  try {
    const { limits, reranking, lifecycle, turn, quarantine, redisUrl: redis, redisFallback } = configuration;
    const stores = { engine, redis, redisFallback, qdrant: qdrantOf(configuration) };
    const languageModel = languageModelOf(configuration.languageModel);
    const reranker = rerankerOf(configuration.reranker, hostTracing());
    const embedder = embedderOf(configuration, hostTracing());
    const embedderFor = embedderMaker(configuration, hostTracing());
    const models = { embedder, embedderFor, reranker, languageModel };
    const lamina = await Lamina.open({ ...stores, ...models, limits, reranking, lifecycle, turn, quarantine });
    return { memory: lamina.as(principal), as: (other) => lamina.as(other), close: () => lamina.close() };
  } catch (error) {
    await engine.close();
    throw error;
  }
}
