/** One HTTP request to the server of a provider, with what can go wrong as errors of the specification. */

import { endpointUrl } from '../domain/endpoint.ts';
import { LaminaError } from '../domain/error.ts';
import { retryAfterMs } from '../domain/retry.ts';

export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

export interface ProviderCallOptions {
  /** Such as "The mem0 server". */
  readonly who: string;
  readonly baseUrl: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly fetch: Fetch;
  readonly now: () => number;
}

/** Statuses below 500 that another attempt can change. */
const RETRYABLE_STATUSES: ReadonlySet<number> = new Set([408, 425]);

export class ProviderCall {
  readonly #options: ProviderCallOptions;
  readonly #root: string;
  readonly #inFlight = new Set<AbortController>();

  /** Throws `CONFIGURATION_ERROR` for a URL or a key that can never work. */
  constructor(options: ProviderCallOptions) {
    this.#options = options;
    this.#root = rootOf(options.baseUrl, options.who);
    // Checked here because fetch would quote the key in its own complaint.
    if (Object.values(options.headers).some((value) => !/^[\x20-\x7e]+$/.test(value))) {
      throw new LaminaError(
        'CONFIGURATION_ERROR',
        `The API key of ${options.who} holds characters that no key can have.`,
      );
    }
  }

  /**
   * The body of the answer as JSON (undefined when it has none), or null for 404. Throws `UNAUTHORIZED`, `RATE_LIMITED` and
   * `PROVIDER_ERROR`; what the server said is only in the cause: it may quote the key or somebody's text.
   */
  async send(method: string, path: string, body?: object): Promise<unknown> {
    const { status, text, retryAfter } = await this.#exchange(method, path, body);
    if (status === 404) return null;
    if (status < 200 || status > 299) throw this.#failure(status, text, retryAfter);
    if (text.trim() === '') return undefined;
    try {
      return JSON.parse(text) as unknown;
    } catch (cause) {
      throw this.unusable('it is not JSON', cause);
    }
  }

  /** The error for an answer that is not what the API promises. */
  unusable(problem: string, cause?: unknown): LaminaError {
    return new LaminaError('PROVIDER_ERROR', `${this.#options.who} gave an answer that cannot be used: ${problem}.`, {
      cause,
    });
  }

  /** Ends every request under way. */
  close(): void {
    for (const controller of this.#inFlight) controller.abort('was closed');
  }

  async #exchange(
    method: string,
    path: string,
    body: object | undefined,
  ): Promise<{ status: number; text: string; retryAfter: string | null }> {
    const { fetch, headers, timeoutMs, who } = this.#options;
    const controller = new AbortController();
    const timer = setTimeout(() => controller.abort(`did not answer within ${timeoutMs} ms`), timeoutMs);
    this.#inFlight.add(controller);
    try {
      const response = await fetch(this.#root + path, {
        method,
        headers: {
          ...headers,
          accept: 'application/json',
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        // Nobody's memories go to a place that was not configured.
        redirect: 'manual',
        signal: controller.signal,
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      return { status: response.status, text, retryAfter: response.headers.get('retry-after') };
    } catch (cause) {
      const problem = controller.signal.aborted ? String(controller.signal.reason) : 'could not be reached';
      throw new LaminaError('PROVIDER_ERROR', `${who} ${problem}. Check the base URL and the network.`, { cause });
    } finally {
      clearTimeout(timer);
      this.#inFlight.delete(controller);
    }
  }

  #failure(status: number, text: string, retryAfter: string | null): LaminaError {
    const { who, now } = this.#options;
    const wait = retryAfterMs(retryAfter, now());
    const details = { status, ...(wait !== undefined && { retryAfterMs: wait }) };
    const cause = new Error(this.#withoutSecrets(text.slice(0, 1000)));
    if (status === 401 || status === 403) {
      return new LaminaError('UNAUTHORIZED', `${who} answered ${status}. Check the API key.`, { details, cause });
    }
    if (status === 429) {
      return new LaminaError('RATE_LIMITED', `${who} answered 429: too many requests.`, { details, cause });
    }
    const canPass = status >= 500 || RETRYABLE_STATUSES.has(status);
    const advice = canPass ? 'It has a problem.' : 'Check the base URL, and whether it is a version that is supported.';
    return new LaminaError('PROVIDER_ERROR', `${who} answered ${status}. ${advice}`, {
      details: { ...details, ...(!canPass && { permanent: true }) },
      cause,
    });
  }

  #withoutSecrets(text: string): string {
    return Object.values(this.#options.headers).reduce((rest, value) => {
      const secret = value.split(' ').at(-1) ?? '';
      return secret === '' ? rest : rest.replaceAll(secret, '[API key]');
    }, text);
  }
}

function rootOf(baseUrl: string, who: string): string {
  const url = endpointUrl(baseUrl, '', `The base URL of ${who}`);
  return url.origin + url.pathname.replace(/\/$/, '');
}
