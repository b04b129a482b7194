/** One request to a `/rerank` endpoint. */

import { endpointHeaders, endpointUrl } from '../../domain/endpoint.ts';
import { LaminaError } from '../../domain/error.ts';
import { retryAfterMs } from '../../domain/retry.ts';
import { failureOfStatus, unreachable } from './rerank-failure.ts';

export interface RerankEndpointOptions {
  readonly baseUrl: string;
  readonly apiKey: string | undefined;
  readonly timeoutMs: number;
  /** Sent with each request, and asked for each time: what it is a part of. */
  readonly traceHeaders?: (() => Readonly<Record<string, string>>) | undefined;
}

const WHOSE = 'of the reranker';

/** More than any list of scores takes, also where the texts come back with them. */
const MAX_ANSWER_BYTES = 4_000_000;

export class RerankEndpoint {
  readonly #url: URL;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #options: RerankEndpointOptions;
  readonly #inFlight = new Set<AbortController>();
  #isClosed = false;

  /** Throws `CONFIGURATION_ERROR` for a base URL or a key that can never work. */
  constructor(options: RerankEndpointOptions) {
    this.#options = options;
    this.#url = rerankUrl(options.baseUrl);
    this.#headers = endpointHeaders(options.apiKey, WHOSE);
  }

  /** The body of the answer. Throws as a reranker does; `now` dates a `Retry-After`. */
  async post(body: string, now: number, signal: AbortSignal): Promise<string> {
    if (this.#isClosed) throw closed();
    // Not AbortSignal.any, which loses aborts when garbage is collected.
    const controller = new AbortController();
    const abort = (): void => controller.abort(tooSlow());
    const timer = setTimeout(abort, this.#options.timeoutMs);
    signal.addEventListener('abort', abort);
    this.#inFlight.add(controller);
    try {
      if (signal.aborted) throw tooSlow();
      const response = await fetch(this.#url, {
        method: 'POST',
        headers: { ...this.#options.traceHeaders?.(), ...this.#headers },
        body,
        // Nobody's memories go to a place that was not configured.
        redirect: 'manual',
        signal: controller.signal,
      });
      if (response.ok) return await textOf(response);
      await response.body?.cancel();
      throw failureOfStatus(response.status, retryAfterMs(response.headers.get('retry-after'), now));
    } catch (error) {
      throw error instanceof LaminaError ? error : unreachable(error);
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
      this.#inFlight.delete(controller);
    }
  }

  /** Ends every request under way, and refuses new ones. */
  close(): void {
    this.#isClosed = true;
    for (const controller of this.#inFlight) controller.abort(closed());
  }
}

/** No more of it than there can be. */
async function textOf(response: Response): Promise<string> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of response.body ?? []) {
    size += piece.byteLength;
    if (size > MAX_ANSWER_BYTES) throw new LaminaError('PROVIDER_ERROR', 'The reranker gave an answer without end.');
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
}

/** `/rerank` is added, unless the address has it already, as providers print it. */
function rerankUrl(baseUrl: string): URL {
  const url = endpointUrl(baseUrl, '', `The address ${WHOSE}`);
  url.pathname = url.pathname.replace(/(\/rerank)?\/?$/, '/rerank');
  return url;
}

function tooSlow(): LaminaError {
  return new LaminaError('PROVIDER_ERROR', 'The reranker did not answer in time.', { details: { permanent: true } });
}

function closed(): LaminaError {
  return new LaminaError('PROVIDER_ERROR', 'The reranker is closed.', { details: { permanent: true } });
}
