/** One request to an OpenAI-compatible `/chat/completions` endpoint. */

import { endpointHeaders, endpointUrl } from '../domain/endpoint.ts';
import { LaminaError } from '../domain/error.ts';
import { retryAfterMs } from '../domain/retry.ts';

export interface ChatEndpointOptions {
  readonly baseUrl: string;
  readonly apiKey: string | undefined;
}

const WHOSE = 'of the language model';

/** Statuses below 500 that another attempt can change. */
const RETRYABLE_STATUSES: ReadonlySet<number> = new Set([408, 425, 429]);

export class ChatEndpoint {
  readonly #url: URL;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #inFlight = new Set<AbortController>();
  #isClosed = false;

  /** Throws `CONFIGURATION_ERROR` for a base URL or a key that can never work. */
  constructor({ baseUrl, apiKey }: ChatEndpointOptions) {
    this.#url = endpointUrl(baseUrl, '/chat/completions', `The base URL ${WHOSE}`);
    this.#headers = endpointHeaders(apiKey, WHOSE);
  }

  /** The body of the answer. Throws `RATE_LIMITED` or `PROVIDER_ERROR`; `now` dates a `Retry-After`. */
  async post(body: string, now: number, timeoutMs: number): Promise<string> {
    if (this.#isClosed) throw closed();
    const controller = new AbortController();
    const timer = setTimeout(() => controller.abort(tooSlow(timeoutMs)), timeoutMs);
    this.#inFlight.add(controller);
    try {
      const response = await fetch(this.#url, {
        method: 'POST',
        headers: this.#headers,
        body,
        // Nobody's memories go to a place that was not configured.
        redirect: 'manual',
        signal: controller.signal,
      });
      const text = await response.text();
      if (response.ok) return text;
      throw refusal(response.status, retryAfterMs(response.headers.get('retry-after'), now));
    } catch (error) {
      throw error instanceof LaminaError ? error : unreachable(error);
    } finally {
      clearTimeout(timer);
      this.#inFlight.delete(controller);
    }
  }

  /** Ends every request under way, and refuses new ones. */
  close(): void {
    this.#isClosed = true;
    for (const controller of this.#inFlight) controller.abort(closed());
  }
}

/** Without the provider's own words: they may quote the key or somebody's text. */
function refusal(status: number, waitMs: number | undefined): LaminaError {
  const canRetry = status >= 500 || RETRYABLE_STATUSES.has(status);
  return new LaminaError(
    status === 429 ? 'RATE_LIMITED' : 'PROVIDER_ERROR',
    `The language model answered ${status}. Check its address, its key and the name of the model.`,
    {
      details: {
        status,
        ...(waitMs !== undefined && { retryAfterMs: waitMs }),
        ...(!canRetry && { permanent: true }),
      },
    },
  );
}

function tooSlow(timeoutMs: number): LaminaError {
  return new LaminaError('PROVIDER_ERROR', `The language model did not answer within ${timeoutMs} ms.`, {
    details: { timeoutMs },
  });
}

function unreachable(cause: unknown): LaminaError {
  return new LaminaError('PROVIDER_ERROR', 'The language model could not be reached, or broke off its answer.', {
    cause,
  });
}

function closed(): LaminaError {
  return new LaminaError('PROVIDER_ERROR', 'The language model is closed.', { details: { permanent: true } });
}
