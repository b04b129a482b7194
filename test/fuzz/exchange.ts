/** One request and its answer over connections that are kept, with a deadline: what takes longer hangs. */

import { Agent, request as httpRequest, type IncomingMessage } from 'node:http';

export interface FuzzRequest {
  readonly method: string;
  /** From the root of the service, spelt as it is sent. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array | undefined;
  /** Whether to be content with how an endless answer begins. */
  readonly isStream?: boolean;
}

export interface FuzzAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  readonly ms: number;
}

export type Exchange = (request: FuzzRequest) => Promise<FuzzAnswer>;

/** How long an answer may take on a machine that is busy with other things. */
const DEADLINE_MS = 30_000;

export interface Exchanges {
  readonly exchange: Exchange;
  close(): void;
}

export function exchangesWith(url: string, connections: number): Exchanges {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  return { exchange: (request) => exchanged(url, agent, request), close: () => agent.destroy() };
}

async function exchanged(
  url: string,
  agent: Agent,
  { method, path, headers, body, isStream }: FuzzRequest,
): Promise<FuzzAnswer> {
  const started = performance.now();
  const { hostname, port } = new URL(url);
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const length = body === undefined ? {} : { 'Content-Length': String(Buffer.byteLength(body)) };
  const signal = AbortSignal.timeout(DEADLINE_MS);
  const outgoing = httpRequest(
    { hostname, port, method, path, agent, signal, headers: { ...length, ...headers } },
    resolve,
  );
  outgoing.on('error', reject);
  outgoing.end(body);
  const incoming = await promise;
  const text = await textOf(incoming, isStream === true);
  return { status: incoming.statusCode ?? 0, headers: incoming.headers, text, ms: performance.now() - started };
}

async function textOf(incoming: IncomingMessage, isStream: boolean): Promise<string> {
  const chunks: Buffer[] = [];
  const isEndless = isStream && incoming.statusCode === 200;
  for await (const chunk of incoming) {
    chunks.push(chunk as Buffer);
    if (isEndless) break;
  }
  return Buffer.concat(chunks).toString('utf8');
}
