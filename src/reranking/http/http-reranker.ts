/** A reranker behind HTTP: Cohere, Jina, Voyage, Infinity, vLLM, llama.cpp, text-embeddings-inference and others. */

import { LaminaError } from '../../domain/error.ts';
import { withRetries, type RetryPolicy } from '../../domain/retry.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Reranker } from '../../ports/reranker.ts';
import { scoresIn, type RerankScores } from './rerank-answer.ts';
import { RerankEndpoint } from './rerank-endpoint.ts';

/** How an endpoint is spoken to. Nearly all take what Cohere takes; text-embeddings-inference has words of its own. */
export const RERANK_APIS = ['cohere', 'tei'] as const;
export type RerankApi = (typeof RERANK_APIS)[number];

/** More at once text-embeddings-inference refuses, as it comes. */
const MAX_TEI_TEXTS = 32;

/** Where nobody sets a budget; a search does. */
const DEFAULT_TIMEOUT_MS = 30_000;

/** Somebody is waiting: once more at once, or not at all. */
const PATIENCE: RetryPolicy = {
  maxAttempts: 2,
  initialDelayMs: 50,
  maxDelayMs: 200,
  backoffMultiplier: 2,
  retryableCodes: ['PROVIDER_ERROR', 'RATE_LIMITED'],
};

export interface HttpRerankerOptions {
  readonly clock: Clock;
  /** Such as `https://api.cohere.com/v2`; `/rerank` is added. */
  readonly baseUrl: string;
  /** Servers of one model need none. */
  readonly model?: string | undefined;
  /** Local servers need none. */
  readonly apiKey?: string | undefined;
  /** Default `cohere`. */
  readonly api?: RerankApi | undefined;
  /** Default `probability`. */
  readonly scores?: RerankScores | undefined;
  /** Per request, where the search does not give up before. Default 30 seconds. */
  readonly timeoutMs?: number | undefined;
  readonly retry?: RetryPolicy | undefined;
  /** Sent with each request: by them the endpoint continues a trace. */
  readonly traceHeaders?: (() => Readonly<Record<string, string>>) | undefined;
}

export class HttpReranker implements Reranker {
  readonly name: string;
  readonly isOutside = true;
  readonly #endpoint: RerankEndpoint;
  readonly #options: HttpRerankerOptions;

  /** Throws `CONFIGURATION_ERROR` for an address or a key that can never work. */
  constructor(options: HttpRerankerOptions) {
    this.#options = options;
    this.name = options.model ?? 'rerank';
    this.#endpoint = new RerankEndpoint({
      baseUrl: options.baseUrl,
      apiKey: options.apiKey?.trim() || undefined,
      timeoutMs: options.timeoutMs ?? DEFAULT_TIMEOUT_MS,
      traceHeaders: options.traceHeaders,
    });
  }

  async rerank(
    query: string,
    texts: readonly string[],
    { signal }: { readonly signal: AbortSignal },
  ): Promise<number[]> {
    const { api = 'cohere' } = this.#options;
    const parts = partsOf(texts, api === 'tei' ? MAX_TEI_TEXTS : texts.length);
    try {
      return (await Promise.all(parts.map((part) => this.#ask(query, part, signal)))).flat();
    } catch (error) {
      if (error instanceof LaminaError) throw error;
      throw new LaminaError('PROVIDER_ERROR', 'The reranker failed for an unexpected reason.', { cause: error });
    }
  }

  async close(): Promise<void> {
    this.#endpoint.close();
  }

  #ask(query: string, texts: readonly string[], signal: AbortSignal): Promise<number[]> {
    const { clock, retry = PATIENCE, scores = 'probability' } = this.#options;
    const body = JSON.stringify(this.#request(query, texts));
    return withRetries(
      retry,
      (ms) => clock.sleep(ms),
      async () => scoresIn(await this.#endpoint.post(body, clock.now(), signal), texts.length, scores),
    );
  }

  /** Without a number of results to give, which has another name with each provider: all is the default with all of them. */
  #request(query: string, texts: readonly string[]): Readonly<Record<string, unknown>> {
    const { api = 'cohere', model } = this.#options;
    if (api === 'tei') return { query, texts, truncate: true };
    return { ...(model !== undefined && { model }), query, documents: texts };
  }
}

function partsOf(texts: readonly string[], size: number): (readonly string[])[] {
  const count = texts.length === 0 ? 0 : Math.ceil(texts.length / size);
  return Array.from({ length: count }, (_, part) => texts.slice(part * size, (part + 1) * size));
}
