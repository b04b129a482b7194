/** Embeddings from any OpenAI-compatible endpoint: OpenAI, Ollama, vLLM and others. */

import { CircuitBreaker, withBreaker, type CircuitPolicy } from '../../domain/circuit-breaker.ts';
import { LaminaError } from '../../domain/error.ts';
import { DEFAULT_RETRY_POLICY, type Random, type RetryPolicy } from '../../domain/retry.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Calibration, Embedder, EmbedderSettings, EmbeddingSpace } from '../../ports/embedder.ts';
import { measureCalibration } from '../calibration.ts';
import { asEmbeddingFailure } from '../embedding-failure.ts';
import { once } from '../once.ts';
import { EmbeddingsEndpoint } from './embeddings-endpoint.ts';

export const DEFAULT_OPENAI_BASE_URL = 'https://api.openai.com/v1';
export const DEFAULT_OPENAI_MODEL = 'text-embedding-3-small';

const DEFAULT_TIMEOUT_MS = 30_000;
const MAX_TEXTS_PER_REQUEST = 256;

/** Within OpenAI's 300,000 tokens a request in any script, and small enough for a local server's 30 seconds. */
const MAX_CHARACTERS_PER_REQUEST = 64_000;

/** Per call, not in all: a query need not wait for somebody's import. */
const MAX_REQUESTS_AT_ONCE = 2;

export interface OpenAiOptions {
  readonly clock: Clock;
  /** Default {@link DEFAULT_OPENAI_BASE_URL}. */
  readonly baseUrl?: string;
  /** Servers such as Ollama need none. */
  readonly apiKey?: string | undefined;
  /** Default {@link DEFAULT_OPENAI_MODEL}. */
  readonly model?: string;
  /** Fewer than the model has by itself, for models that can do with fewer. Default: as many as it has. */
  readonly dimensions?: number | undefined;
  /** Per request. Default 30 seconds. */
  readonly timeoutMs?: number;
  readonly retry?: RetryPolicy;
  /** For jitter between attempts. Default: none. */
  readonly random?: Random;
  /** When an endpoint that keeps failing is left alone, and for how long. */
  readonly circuit?: CircuitPolicy;
  /** Sent with each request: by them the endpoint continues a trace. */
  readonly traceHeaders?: () => Readonly<Record<string, string>>;
}

/** The texts in order, in as few parts as the limits of one request allow. */
function batchesOf(texts: readonly string[]): string[][] {
  const batches: string[][] = [];
  let batch: string[] = [];
  let characters = 0;
  for (const text of texts) {
    const isFull = batch.length >= MAX_TEXTS_PER_REQUEST || characters + text.length > MAX_CHARACTERS_PER_REQUEST;
    if (batch.length === 0 || isFull) {
      batches.push((batch = []));
      characters = 0;
    }
    batch.push(text);
    characters += text.length;
  }
  return batches;
}

/**
 * Every failure is `EMBEDDING_FAILED`; its message never holds the key or what the provider said. An endpoint that keeps
 * failing is left alone for a while: then texts fail at once, and hybrid searches go on with words without waiting.
 */
export class OpenAiEmbedder implements Embedder {
  readonly #endpoint: EmbeddingsEndpoint;
  readonly #clock: Clock;
  readonly #retry: RetryPolicy;
  readonly #random: Random | undefined;
  readonly #breaker: CircuitBreaker;
  readonly settings: EmbedderSettings;
  readonly #model: string;
  readonly #closing = Promise.withResolvers<void>();
  #dimensions: number | undefined;

  /** Throws `CONFIGURATION_ERROR` for a base URL or a key that can never work. */
  constructor(options: OpenAiOptions) {
    this.#clock = options.clock;
    this.#retry = options.retry ?? DEFAULT_RETRY_POLICY;
    this.#random = options.random;
    this.#breaker = new CircuitBreaker('The embedding endpoint', () => this.#clock.now(), options.circuit);
    this.#model = options.model ?? DEFAULT_OPENAI_MODEL;
    const { baseUrl = DEFAULT_OPENAI_BASE_URL, dimensions } = options;
    this.settings = {
      provider: 'openai',
      model: this.#model,
      baseUrl,
      ...(dimensions !== undefined && { dimensions }),
    };
    this.#endpoint = new EmbeddingsEndpoint({
      baseUrl,
      apiKey: options.apiKey?.trim() || undefined,
      model: this.#model,
      dimensions,
      timeoutMs: options.timeoutMs ?? DEFAULT_TIMEOUT_MS,
      traceHeaders: options.traceHeaders,
    });
  }

  /** Asks the endpoint once, unless an earlier answer has shown it. */
  readonly space: () => Promise<EmbeddingSpace> = once(async () => {
    if (this.#dimensions === undefined) await this.embed(['How many dimensions?']);
    return { model: `openai:${this.#model}`, dimensions: this.#dimensions ?? 0 };
  });

  readonly calibration: () => Promise<Calibration> = once(() => measureCalibration((texts) => this.embed(texts)));

  async embed(texts: readonly string[]): Promise<Float32Array[]> {
    const batches = batchesOf(texts);
    const results: Float32Array[][] = [];
    let taken = 0;
    const work = async (): Promise<void> => {
      while (taken < batches.length) {
        const index = taken++;
        results[index] = await this.#embedBatch(batches[index] ?? []);
      }
    };
    try {
      await Promise.all(Array.from({ length: MAX_REQUESTS_AT_ONCE }, work));
    } catch (error) {
      taken = batches.length;
      throw asEmbeddingFailure(error);
    }
    return results.flat();
  }

  /** Nothing is kept here. */
  forget(): void {}

  async close(): Promise<void> {
    this.#endpoint.close();
    this.#closing.resolve();
  }

  async #embedBatch(texts: readonly string[]): Promise<Float32Array[]> {
    const sleep = (ms: number): Promise<void> => Promise.race([this.#clock.sleep(ms), this.#closing.promise]);
    return withBreaker(this.#breaker, { retry: this.#retry, sleep, random: this.#random }, async () => {
      const vectors = await this.#endpoint.post(texts, () => this.#clock.now());
      this.#assertDimensions(vectors[0]?.length ?? 0);
      return vectors;
    });
  }

  /** The vectors of one answer agree already; those of different answers have to as well. */
  #assertDimensions(dimensions: number): void {
    this.#dimensions ??= dimensions;
    if (dimensions === this.#dimensions) return;
    throw new LaminaError(
      'EMBEDDING_FAILED',
      `The embedding endpoint answered with ${dimensions} dimensions after ${this.#dimensions}. Did its model change?`,
      { details: { expected: this.#dimensions, actual: dimensions } },
    );
  }
}
