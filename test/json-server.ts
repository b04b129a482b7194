/** A small HTTP server that answers with JSON, and badly where a test tells it to. */

import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export interface JsonRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly body: Readonly<Record<string, unknown>>;
}

export interface JsonAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Text goes out as it stands. */
  readonly body?: unknown;
}

export interface JsonServer {
  readonly url: string;
  readonly requests: JsonRequest[];
  /** Answered instead, one each, before the server does its work; `drop` breaks the connection. */
  readonly troubles: (JsonAnswer | 'drop')[];
  close(): Promise<void>;
}

export async function startJsonServer(answer: (request: JsonRequest) => JsonAnswer): Promise<JsonServer> {
  const requests: JsonRequest[] = [];
  const troubles: (JsonAnswer | 'drop')[] = [];
  const server = createServer(async (incoming, response) => {
    let text = '';
    for await (const piece of incoming) text += String(piece);
    const { pathname, searchParams } = new URL(incoming.url ?? '/', 'http://localhost');
    const request: JsonRequest = {
      method: incoming.method ?? '',
      path: decodeURIComponent(pathname),
      query: searchParams,
      headers: incoming.headers,
      body: text === '' ? {} : (JSON.parse(text) as Record<string, unknown>),
    };
    requests.push(request);
    const trouble = troubles.shift();
    if (trouble === 'drop') return void response.destroy();
    const { status = 200, headers = {}, body = {} } = trouble ?? answer(request);
    response.writeHead(status, { 'content-type': 'application/json', connection: 'close', ...headers });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    troubles,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Closes it when the test that runs now ends. */
export function untilTestEnds(server: JsonServer): JsonServer {
  onTestFinished(() => server.close());
  return server;
}

/** The share of the words of a query that a text has. */
export function wordOverlap(query: string, text: string): number {
  const words = query.toLowerCase().split(/\W+/).filter(Boolean);
  const own = new Set(text.toLowerCase().split(/\W+/));
  return words.filter((word) => own.has(word)).length / Math.max(1, words.length);
}
