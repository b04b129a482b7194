/** The requests that are measured over HTTP, as bytes. */

import type { Asked, BareRoute } from './bare-server.ts';

/** What is there to be asked for. */
export interface Known {
  readonly userId: string;
  readonly planId: string;
  readonly keys: readonly string[];
  readonly ids: readonly string[];
  readonly queries: readonly string[];
}

export interface HttpRow {
  readonly operation: string;
  readonly method: BareRoute['method'];
  /** Of the route, as Fastify spells it. */
  readonly url: string;
  /** The least share that Lamina should reach of what Fastify does: with the same bytes, and where it `reads` with the same SQL. */
  readonly target: number;
  readonly reads: boolean;
  /** Where each request goes, and with what body. */
  readonly asks: (known: Known) => readonly Request[];
}

interface Request {
  readonly path: string;
  readonly body?: object;
}

const PAGE = 50;
const RESULTS = 10;
const VALUE = { confidence: 0.9, data: 'What was found so far.' };
const KEY_URL = '/v1/memory/working/:plan_id/:key';

const keyPaths = ({ planId, keys }: Known): string[] => keys.map((key) => `/v1/memory/working/${planId}/${key}`);

export const HTTP_ROWS: readonly HttpRow[] = [
  {
    operation: 'working memory: get',
    method: 'GET',
    url: KEY_URL,
    target: 0.7,
    reads: false,
    asks: (known) => keyPaths(known).map((path) => ({ path })),
  },
  {
    operation: 'working memory: set, durable',
    method: 'PUT',
    url: KEY_URL,
    target: 0.7,
    reads: false,
    asks: (known) => keyPaths(known).map((path) => ({ path, body: { value: VALUE } })),
  },
  {
    operation: 'get',
    method: 'GET',
    url: '/v1/memory/entries/:id',
    target: 0.7,
    reads: true,
    asks: ({ ids }) => ids.map((id) => ({ path: `/v1/memory/entries/${id}` })),
  },
  {
    operation: `list, page of ${PAGE}`,
    method: 'GET',
    url: '/v1/memory/entries',
    target: 0.7,
    reads: true,
    asks: () => [{ path: `/v1/memory/entries?layer=user&limit=${PAGE}` }],
  },
  {
    operation: 'search hybrid, query cached',
    method: 'POST',
    url: '/v1/memory/entries/search',
    target: 0.6,
    reads: true,
    asks: ({ queries }) =>
      queries.map((query) => ({
        path: '/v1/memory/entries/search',
        body: { query, limit: RESULTS, threshold: 0 },
      })),
  },
];

/** A request as a route of that address receives it. */
export function askedBy({ path, body }: Request, url: string): Asked {
  const { pathname, searchParams } = new URL(path, 'http://127.0.0.1');
  const given = pathname.split('/');
  const named = url.split('/').flatMap((part, at) => (part.startsWith(':') ? [[part.slice(1), given[at] ?? '']] : []));
  return { params: Object.fromEntries(named), query: Object.fromEntries(searchParams), body };
}

/** What goes over the wire; bodies here are ASCII. */
export function requestBytes(
  method: string,
  userId: string,
  { path, body }: Request,
  prefix = '',
  headers: readonly string[] = [],
): string {
  const text = body && JSON.stringify(body);
  const head = [`${method} ${prefix}${path} HTTP/1.1`, 'Host: 127.0.0.1', `X-User-ID: ${userId}`, ...headers];
  if (text !== undefined) head.push('Content-Type: application/json', `Content-Length: ${text.length}`);
  return `${head.join('\r\n')}\r\n\r\n${text ?? ''}`;
}
