/** A Lamina as it is configured: its engine, its models and every policy, put together in one place. */

import type { Engine } from '../ports/engine.ts';
import type { Tracing } from '../ports/telemetry.ts';
import type { Configuration } from './configuration.ts';
import { embedderMaker, embedderOf } from './embedders.ts';
import { openEngine, type EngineObservers } from './engines.ts';
import type { LaminaOptions } from './lamina-options.ts';
import { Lamina } from './lamina.ts';
import { languageModelOf } from './language-models.ts';
import { qdrantOf } from './qdrant-options.ts';
import { releaseAll, type Release } from './release-all.ts';
import { rerankerOf } from './rerankers.ts';
import { systemClock } from './system.ts';

export interface Configured {
  /** Closes the engine as well. */
  readonly lamina: Lamina;
  readonly engine: Engine;
}

export interface Opening {
  readonly tracing: Tracing;
  /** Observers of the engine. */
  readonly observers?: EngineObservers;
  /** Overrides of the configuration. */
  readonly otherwise?: (engine: Engine) => LaminaOptions;
}

/** Throws `CONFIGURATION_ERROR` and `UNAVAILABLE`, and then holds on to nothing. */
export async function openConfigured(
  configuration: Configuration,
  { tracing, observers, otherwise = () => ({}) }: Opening,
): Promise<Configured> {
  const held: Release[] = [];
  try {
    const engine = await openEngine(configuration, systemClock, observers);
    held.push(() => engine.close());
    const models = modelsOf(configuration, tracing);
    held.push(...Object.values(models).map((model) => () => model?.close()));
    const { limits, lifecycle, turn, quarantine, reranking } = configuration;
    const policies = { limits, lifecycle, turn, quarantine, reranking };
    const { redisUrl: redis, redisFallback, redisPrefix } = configuration;
    const stores = { engine, redis, redisFallback, redisPrefix, qdrant: qdrantOf(configuration) };
    const embedderFor = embedderMaker(configuration, tracing);
    const options = { ...stores, ...models, ...policies, embedderFor, tracing };
    return { lamina: await Lamina.open({ ...options, ...otherwise(engine) }), engine };
  } catch (error) {
    await releaseAll(held);
    throw error;
  }
}

function modelsOf(configuration: Configuration, tracing: Tracing) {
  return {
    languageModel: languageModelOf(configuration.languageModel),
    reranker: rerankerOf(configuration.reranker, tracing),
    embedder: embedderOf(configuration, tracing),
  };
}
