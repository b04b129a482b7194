/** A language model behind any OpenAI-compatible chat endpoint: OpenAI, Ollama, vLLM and others. */

import { CircuitBreaker, withBreaker } from '../domain/circuit-breaker.ts';
import { LaminaError } from '../domain/error.ts';
import type { RetryPolicy } from '../domain/retry.ts';
import type { Clock } from '../ports/clock.ts';
import type { Completion, CompletionRoom, LanguageModel } from '../ports/language-model.ts';
import { answerIn, type Prices } from './chat-answer.ts';
import { ChatEndpoint } from './chat-endpoint.ts';

/** Longer than this nobody waits for a summary of a few memories; three attempts stay within what a batch may take. */
const DEFAULT_TIMEOUT_MS = 15_000;

/** A batch of maintenance must end within a minute, so that nobody takes its run for abandoned. */
const PATIENCE: RetryPolicy = {
  maxAttempts: 3,
  initialDelayMs: 500,
  maxDelayMs: 4000,
  backoffMultiplier: 2,
  retryableCodes: ['PROVIDER_ERROR', 'RATE_LIMITED'],
};

/** Whoever asks for more waits for longer; and for no longer than those who wait for them in turn. */
const LONG_TIMEOUT_MS = 25_000;

/** In tokens. */
const FEW_SENTENCES = 400;

export interface LanguageModelOptions {
  readonly clock: Clock;
  /** Such as `https://api.openai.com/v1`. */
  readonly baseUrl: string;
  readonly model: string;
  /** Servers such as Ollama need none. */
  readonly apiKey?: string | undefined;
  readonly prices?: Prices | undefined;
  /** Per request. Default 15 seconds, and 25 for answers that may be long. */
  readonly timeoutMs?: number;
  readonly retry?: RetryPolicy;
}

export class OpenAiLanguageModel implements LanguageModel {
  readonly #endpoint: ChatEndpoint;
  readonly #options: LanguageModelOptions;
  readonly #breaker: CircuitBreaker;
  readonly #closing = Promise.withResolvers<void>();

  /** Throws `CONFIGURATION_ERROR` for a base URL or a key that can never work. */
  constructor(options: LanguageModelOptions) {
    this.#options = options;
    this.#breaker = new CircuitBreaker('The language model', () => options.clock.now());
    this.#endpoint = new ChatEndpoint({
      baseUrl: options.baseUrl,
      apiKey: options.apiKey?.trim() || undefined,
    });
  }

  async complete(instructions: string, text: string, room: CompletionRoom = {}): Promise<Completion> {
    const { clock, model, prices, retry = PATIENCE } = this.#options;
    const { outputTokens = FEW_SENTENCES } = room;
    const timeoutMs = this.#options.timeoutMs ?? (outputTokens > FEW_SENTENCES ? LONG_TIMEOUT_MS : DEFAULT_TIMEOUT_MS);
    const body = JSON.stringify({
      model,
      messages: [
        { role: 'system', content: instructions },
        { role: 'user', content: text },
      ],
      temperature: 0,
      max_tokens: outputTokens,
    });
    const sleep = (ms: number): Promise<void> => Promise.race([clock.sleep(ms), this.#closing.promise]);
    try {
      return await withBreaker(this.#breaker, { retry, sleep }, async () =>
        answerIn(await this.#endpoint.post(body, clock.now(), timeoutMs), model, prices),
      );
    } catch (error) {
      if (error instanceof LaminaError) throw error;
      throw new LaminaError('PROVIDER_ERROR', 'The language model failed for an unexpected reason.', { cause: error });
    }
  }

  async close(): Promise<void> {
    this.#endpoint.close();
    this.#closing.resolve();
  }
}
