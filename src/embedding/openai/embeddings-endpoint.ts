/** One request to an OpenAI-compatible `/embeddings` endpoint. */

import { endpointHeaders, endpointUrl } from '../../domain/endpoint.ts';
import { LaminaError } from '../../domain/error.ts';
import { retryAfterMs } from '../../domain/retry.ts';
import { vectorsIn } from './embeddings-answer.ts';
import { failureOfConnection, failureOfStatus } from './embeddings-failure.ts';

export interface EndpointOptions {
  /** Such as `https://api.openai.com/v1`. */
  readonly baseUrl: string;
  readonly apiKey: string | undefined;
  readonly model: string;
  /** Fewer than the model has by itself, where it can do with fewer. */
  readonly dimensions?: number | undefined;
  readonly timeoutMs: number;
  /** Sent with each request, and asked for each time: what it is a part of. */
  readonly traceHeaders?: (() => Readonly<Record<string, string>>) | undefined;
}

const WHOSE = 'for embeddings';

interface Answer {
  readonly status: number;
  readonly isOk: boolean;
  readonly body: string;
  readonly retryAfter: string | null;
}

export class EmbeddingsEndpoint {
  readonly #url: URL;
  readonly #headers: Record<string, string>;
  readonly #options: EndpointOptions;
  readonly #inFlight = new Set<AbortController>();
  #isClosed = false;

  /** Throws `CONFIGURATION_ERROR` for a base URL or a key that can never work. */
  constructor(options: EndpointOptions) {
    this.#options = options;
    this.#url = endpointUrl(options.baseUrl, '/embeddings', `The base URL ${WHOSE}`);
    this.#headers = endpointHeaders(options.apiKey, WHOSE);
  }

  /** Embeds texts in one request. Throws `RATE_LIMITED` or `EMBEDDING_FAILED`; `now` dates a `Retry-After`. */
  async post(texts: readonly string[], now: () => number): Promise<Float32Array[]> {
    const { model, dimensions } = this.#options;
    const answer = await this.#send(JSON.stringify({ model, input: texts, encoding_format: 'float', dimensions }));
    if (answer.isOk) return vectorsIn(answer.body, texts.length);
    const wait = retryAfterMs(answer.retryAfter, now());
    throw failureOfStatus({ ...answer, retryAfterMs: wait }, this.#options.apiKey);
  }

  /** Ends every request under way, and refuses new ones. */
  close(): void {
    this.#isClosed = true;
    for (const controller of this.#inFlight) controller.abort(closed());
  }

  async #send(body: string): Promise<Answer> {
    if (this.#isClosed) throw closed();
    // Not AbortSignal.any over a timeout and a closing signal: garbage collection loses aborts there
    // (https://github.com/nodejs/node/issues/57736, https://github.com/nodejs/node/issues/65995).
    const controller = new AbortController();
    const timer = setTimeout(() => controller.abort(tooSlow(this.#options.timeoutMs)), this.#options.timeoutMs);
    this.#inFlight.add(controller);
    try {
      const response = await fetch(this.#url, {
        method: 'POST',
        headers: { ...this.#options.traceHeaders?.(), ...this.#headers },
        body,
        // Nobody's memories go to a place that was not configured.
        redirect: 'manual',
        signal: controller.signal,
      });
      return {
        status: response.status,
        isOk: response.ok,
        body: await response.text(),
        retryAfter: response.headers.get('retry-after'),
      };
    } catch (error) {
      throw failureOfConnection(error);
    } finally {
      clearTimeout(timer);
      this.#inFlight.delete(controller);
    }
  }
}

function tooSlow(timeoutMs: number): LaminaError {
  return new LaminaError('EMBEDDING_FAILED', `The embedding endpoint did not answer within ${timeoutMs} ms.`, {
    details: { timeoutMs },
  });
}

function closed(): LaminaError {
  return new LaminaError('EMBEDDING_FAILED', 'The embedder is closed.', { details: { permanent: true } });
}
