/** The MCP server over HTTP at `/mcp`: authenticated, observed and stopped like every other route. */

import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { narrowed } from '../domain/kind.ts';
import { DEFAULT_TURN_POLICY } from '../domain/turn.ts';
import type { McpExchange } from '../mcp/mcp-exchange.ts';
import { parseMcpQuery } from '../mcp/mcp-query.ts';
import { memoryOver } from '../operations/memory.ts';
import { EVENT_STREAM } from '../operations/server-event.ts';
import { authenticateByHeaders } from './authenticate.ts';
import { HEARTBEAT_MS, type ServerDependencies } from './dependencies.ts';
import type { Gate } from './gate.ts';
import { withinSpan } from './observe-requests.ts';
import { onceClosed } from './once-closed.ts';
import { identify, principalOf, searchOf } from './operation-routes.ts';
import { assertOwnOrigin } from './own-origin.ts';
import { sendProtocolError } from './protocol-error.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether it speaks its own protocol, over the same memory. */
    isProtocol?: boolean;
  }
}

const MCP_PATH = '/mcp';

export function addMcpRoutes(app: FastifyInstance, dependencies: ServerDependencies, gate: Gate): void {
  const authenticate = dependencies.authenticate ?? authenticateByHeaders();
  const heartbeatMs = dependencies.heartbeatMs ?? HEARTBEAT_MS;
  const open = new Set<McpExchange>();
  // Before the server waits for pending requests: listeners would stay forever.
  app.addHook('preClose', async () => {
    await Promise.all([...open].map((exchange) => exchange.close()));
  });

  const serve = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const exchange = await exchangeOf(request, dependencies, heartbeatMs);
    const left = new AbortController();
    open.add(exchange);
    // A key can be revoked while a client listens.
    const check = setInterval(() => {
      void (async () => authenticate(request.headers))().catch(() => exchange.close());
    }, heartbeatMs);
    onceClosed(reply, () => {
      clearInterval(check);
      open.delete(exchange);
      left.abort();
    });
    const answer = async (): Promise<Response> => exchange.answer(webRequest(request, left.signal), request.body);
    const principal = principalOf(request);
    const response = await gate.pass(principal, answer);
    if (isStream(response)) onceClosed(reply, gate.streams.take(principal));
    return send(reply, response);
  };

  app.route({
    // The protocol itself refuses the last two, in its own words: there are no sessions.
    method: ['POST', 'GET', 'DELETE'],
    url: MCP_PATH,
    config: { isProtocol: true },
    // Before the body is read, so that a stranger cannot make the service read one.
    onRequest: (request, reply, done) => {
      assertOwnOrigin(request.headers);
      const waiting = identify(gate, authenticate, request, reply);
      if (waiting === undefined) done();
      return waiting;
    },
    errorHandler: (error, request, reply) => void sendProtocolError(request, reply, error),
    handler: (request, reply) => withinSpan(request, () => serve(request, reply)),
  });
}

/** The SDK is loaded for the first client, so that it does not slow down the start. */
async function exchangeOf(
  request: FastifyRequest,
  dependencies: ServerDependencies,
  heartbeatMs: number,
): Promise<McpExchange> {
  const principal = principalOf(request);
  const { place, toolSets, maxSensitivity: asked } = parseMcpQuery(searchOf(request.raw.url ?? ''), principal);
  const { turn = DEFAULT_TURN_POLICY } = dependencies;
  const { createMcpExchange } = await import('../mcp/mcp-exchange.ts');
  const memory = memoryOver(dependencies.invokeAs(principal), dependencies.followAs(principal));
  return createMcpExchange({
    context: { memory, ...place, maxSensitivity: narrowed(turn.maxSensitivity, asked), minTrust: turn.minTrust },
    version: dependencies.version,
    toolSets,
    heartbeatMs,
    report: (error) =>
      request.log.error({ err: error.cause ?? error, code: error.code, operation: error.operation }, error.message),
  });
}

/** The request as the SDK takes it. Its body has been read by then, strictly and up to the limit. */
function webRequest({ method, headers, raw }: FastifyRequest, signal: AbortSignal): Request {
  const entries = Object.entries(headers).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, String(value)]],
  );
  // Only the path is used; the host name from the client does not matter.
  return new Request(new URL(raw.url ?? '/', 'http://localhost'), { method, headers: entries, signal });
}

function isStream({ headers }: Response): boolean {
  return headers.get('content-type')?.startsWith(EVENT_STREAM) ?? false;
}

async function send(reply: FastifyReply, response: Response): Promise<FastifyReply> {
  reply.status(response.status);
  for (const [name, value] of response.headers) {
    // How connections and caches are used is decided for all routes alike.
    if (!['connection', 'cache-control', 'content-length', 'transfer-encoding'].includes(name))
      reply.header(name, value);
  }
  if (response.body === null) return reply.send();
  if (!isStream(response)) return reply.send(await response.text());
  // A proxy that buffers responses would hold events back.
  reply.header('X-Accel-Buffering', 'no');
  return reply.send(Readable.fromWeb(response.body as ReadableStream));
}
