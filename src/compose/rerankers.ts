/** Rerankers by how they are configured. */

import { resolve } from 'node:path';
import type { Reranker } from '../ports/reranker.ts';
import type { Tracing } from '../ports/telemetry.ts';
import { CrossEncoder, type CrossEncoderOptions } from '../reranking/onnx/cross-encoder.ts';
import { HttpReranker, type HttpRerankerOptions as Options } from '../reranking/http/http-reranker.ts';
import { hostTracing } from '../telemetry/open-telemetry-tracing.ts';
import type { RerankerSettings } from './reranker-settings.ts';
import { systemClock } from './system.ts';

export type HttpRerankerOptions = Omit<Options, 'clock'>;

/**
 * Any `/rerank` endpoint: Cohere, Jina, Voyage, Infinity, vLLM, llama.cpp, text-embeddings-inference … Throws
 * `CONFIGURATION_ERROR` for one that can never work. What it throws later concerns no search: those go on without it.
 */
export function httpReranker(options: HttpRerankerOptions): Reranker {
  const tracing = hostTracing();
  return new HttpReranker({ clock: systemClock, traceHeaders: () => tracing.headers(), ...options });
}

/**
 * A cross-encoder that runs on this machine, without network, in a process of its own. It is loaded when it is first needed; a
 * folder that cannot be used shows then: searches go on without it and warn, and the health report says why.
 */
export function localReranker(options: CrossEncoderOptions): Reranker {
  return new CrossEncoder({ ...options, folder: resolve(options.folder) });
}

export function rerankerOf(settings: RerankerSettings | undefined, tracing: Tracing): Reranker | undefined {
  if (settings === undefined) return undefined;
  if ('folder' in settings) return localReranker(settings);
  const { url: baseUrl, ...rest } = settings;
  return httpReranker({ baseUrl, ...rest, traceHeaders: () => tracing.headers() });
}
