/** Requests and their answers over `fetch`, with failures of the network as LaminaErrors. */

import { LaminaError } from '../domain/error.ts';
import { EVENT_STREAM } from '../operations/server-event.ts';

export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

export interface Request {
  readonly method: string;
  /** Path from the service's root, with the query. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  /** Whether it changes nothing, so that a lost answer does not matter. Default: true for a GET. */
  readonly isReading?: boolean | undefined;
  /** Upper bound for this request's timeout. */
  readonly maxTimeoutMs?: number | undefined;
}

export interface Answer {
  readonly status: number;
  readonly retryAfter: string | null;
  /** The body as JSON; undefined if it is not JSON. */
  readonly json: unknown;
}

/** One request and its whole answer. Throws `UNAVAILABLE`. */
export type Exchange = (request: Request) => Promise<Answer>;

/** One request with a streamed answer, until the signal aborts it. Throws `UNAVAILABLE`. */
export type Open = (request: Request, signal: AbortSignal) => Promise<Response>;

export interface Transport {
  readonly exchange: Exchange;
  readonly open: Open;
}

interface TransportOptions {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly fetch: Fetch;
}

/** Throws `CONFIGURATION_ERROR` if the URL or the headers are invalid. */
export function createTransport(options: TransportOptions): Transport {
  const root = rootOf(options.url);
  const fixed = headersOf(options.headers);
  const { timeoutMs } = options;
  const send = ({ method, url, headers, body }: Request, accept: string, signal: AbortSignal): Promise<Response> => {
    const all = new Headers(fixed);
    for (const [name, value] of Object.entries(headers)) all.set(name, value);
    if (body !== undefined) all.set('Content-Type', 'application/json');
    all.set('Accept', accept);
    return options.fetch(root + url, {
      method,
      headers: all,
      signal,
      // A redirect would turn a POST into a GET, and show the principal to another host.
      redirect: 'error',
      ...(body !== undefined && { body }),
    });
  };
  return {
    exchange: async (request) => {
      const patience = Math.min(timeoutMs, request.maxTimeoutMs ?? timeoutMs);
      try {
        return await answerOf(await send(request, 'application/json', AbortSignal.timeout(patience)));
      } catch (cause) {
        throw unavailable(cause, root, patience, request);
      }
    },
    open: async (request, signal) => {
      try {
        return await send(request, EVENT_STREAM, signal);
      } catch (cause) {
        throw unavailable(cause, root, timeoutMs, request);
      }
    },
  };
}

export async function answerOf(response: Response): Promise<Answer> {
  const { status, headers } = response;
  return { status, retryAfter: headers.get('Retry-After'), json: parse(await response.text()) };
}

function rootOf(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !(url.protocol === 'http:' || url.protocol === 'https:')) {
    throw new LaminaError('CONFIGURATION_ERROR', 'The url of a LaminaClient must be like http://127.0.0.1:8787.');
  }
  return url.origin + url.pathname.replace(/\/+$/, '');
}

function headersOf(headers: TransportOptions['headers']): Headers {
  try {
    return new Headers(headers);
  } catch (cause) {
    throw new LaminaError('CONFIGURATION_ERROR', 'The token or a header of a LaminaClient is not valid in HTTP.', {
      cause,
    });
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function unavailable(cause: unknown, root: string, timeoutMs: number, request: Request): LaminaError {
  const isTimeout = cause instanceof Error && cause.name === 'TimeoutError';
  const what = isTimeout ? `did not answer within ${timeoutMs} ms` : 'cannot be reached';
  const { method, isReading = method === 'GET' } = request;
  // A write may have been carried out although the answer was lost.
  const details = isReading ? {} : { details: { outcome: 'unknown' } };
  return new LaminaError('UNAVAILABLE', `The service at ${root} ${what}.`, { ...details, cause });
}
