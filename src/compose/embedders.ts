/** The embedders by the names under which they are configured. */

import { MiniLmEmbedder } from '../embedding/minilm/minilm-embedder.ts';
import { OpenAiEmbedder, type OpenAiOptions } from '../embedding/openai/openai-embedder.ts';
import type { Embedder, EmbedderSettings } from '../ports/embedder.ts';
import type { Tracing } from '../ports/telemetry.ts';
import { hostTracing } from '../telemetry/open-telemetry-tracing.ts';
import type { Configuration } from './configuration.ts';
import { systemClock } from './system.ts';

export type OpenAiEmbedderOptions = Omit<OpenAiOptions, 'clock'>;

/** Any OpenAI-compatible endpoint: OpenAI, Ollama, vLLM … Throws `CONFIGURATION_ERROR` for one that can never work. */
export function openAiEmbedder(options: OpenAiEmbedderOptions = {}): Embedder {
  const tracing = hostTracing();
  return new OpenAiEmbedder({
    clock: systemClock,
    random: Math.random,
    traceHeaders: () => tracing.headers(),
    ...options,
  });
}

/**
 * all-MiniLM-L6-v2 on this machine, without network. Loaded when it is first needed. If the fast runtime cannot be used, a
 * slower one replaces it, with a Node warning.
 */
export function localEmbedder(): Embedder {
  return new MiniLmEmbedder({ onFallback: (reason) => process.emitWarning(reason, 'LaminaWarning') });
}

export function embedderOf(configuration: Configuration, tracing: Tracing): Embedder {
  const { embeddings, embeddingModel, embeddingDimensions, openaiBaseUrl, openaiApiKey } = configuration;
  if (embeddings === 'local') return localEmbedder();
  return openAiEmbedder({
    baseUrl: openaiBaseUrl,
    apiKey: openaiApiKey,
    dimensions: embeddingDimensions,
    traceHeaders: () => tracing.headers(),
    ...(embeddingModel !== undefined && { model: embeddingModel }),
  });
}

/**
 * Makes the models that the database names, where they are others than the configured one; undefined for what only a
 * program could make. A key is only sent to the endpoint that it is configured for.
 */
export function embedderMaker(
  configuration: Configuration,
  tracing: Tracing,
): (settings: EmbedderSettings) => Embedder | undefined {
  const { openaiBaseUrl, openaiApiKey, otherApiKey } = configuration;
  return ({ provider, model, baseUrl = openaiBaseUrl, dimensions }) => {
    if (provider === 'local') return localEmbedder();
    if (provider !== 'openai') return undefined;
    const apiKey = baseUrl === openaiBaseUrl ? openaiApiKey : otherApiKey;
    const own = { baseUrl, apiKey, dimensions, traceHeaders: () => tracing.headers() };
    return openAiEmbedder({ ...own, ...(model !== undefined && { model }) });
  };
}
