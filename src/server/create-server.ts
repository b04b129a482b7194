/** The HTTP service: the table of operations behind Fastify. */

import type { FastifyInstance } from 'fastify';
import { LaminaError } from '../domain/error.ts';
import { addOperationRoutes } from './operation-routes.ts';
import { createApplication, keepTlsUpToDate } from './create-application.ts';
import type { ServerDependencies } from './dependencies.ts';
import { Gate, guardRequests } from './gate.ts';
import { sendError } from './http-error.ts';
import { useJsonBodies } from './json-body.ts';
import { addInspectorRoutes } from './inspector-routes.ts';
import { addMcpRoutes } from './mcp-routes.ts';
import { observeRequests, routeOf } from './observe-requests.ts';
import { assertClearHead } from './request-head.ts';
import { applySecurityHeaders } from './security-headers.ts';
import { DEFAULT_SERVICE_LIMITS } from './service-limits.ts';
import { addSystemRoutes } from './system-routes.ts';
import { answerUnknownRoutes } from './unknown-route.ts';
import { UnusedConnections } from './unused-connections.ts';

export interface LaminaServer {
  /**
   * Resolves with the address, such as `http://127.0.0.1:8787`, once requests are served. Port 0 takes a free one.
   * Throws `CONFIGURATION_ERROR` when the address cannot be had.
   */
  listen(options: { readonly host: string; readonly port: number }): Promise<string>;
  /** Reads the files of TLS again, for connections that come. Where they do not do, those that were read before stay. */
  reload(): void;
  /** Takes no new connections, lets what is under way finish (for a while), then resolves. */
  close(): Promise<void>;
}

/** After this, requests still under way are cut off, so that a stop always comes to its end. */
const DRAIN_TIMEOUT_MS = 10_000;
const SWEEP_MS = 100;
export function createServer(dependencies: ServerDependencies): LaminaServer {
  const { tls } = dependencies;
  const limits = { ...DEFAULT_SERVICE_LIMITS, ...dependencies.limits };
  const app = createApplication(dependencies, limits);
  const state = { isClosing: false };
  const unused = new UnusedConnections(app.server, tls !== undefined);
  const gate = new Gate(limits);
  addHooks(app, state);
  guardRequests(app, gate);
  observeRequests(app, dependencies.observer);
  answerUnknownRoutes(app);
  useJsonBodies(app);
  app.decorateRequest('principal', null);
  addOperationRoutes(app, dependencies, gate);
  addMcpRoutes(app, dependencies, gate);
  addSystemRoutes(app, dependencies, gate);
  const { inspectorFolder } = dependencies;
  if (inspectorFolder === undefined) app.get('/', async (_request, reply) => reply.redirect('/docs'));
  else addInspectorRoutes(app, inspectorFolder);
  const secured = tls && keepTlsUpToDate(app, tls);
  return {
    listen: (options) => listen(app, options.host, options.port),
    reload: () => secured?.reload(),
    close: () => {
      state.isClosing = true;
      secured?.stop();
      return drain(app, unused);
    },
  };
}

function addHooks(app: FastifyInstance, state: { readonly isClosing: boolean }): void {
  // With `done` and not as promises: these two run for every request.
  app.addHook('onRequest', (request, reply, done) => {
    applySecurityHeaders(reply, request.id);
    assertClearHead(request.raw);
    done();
  });
  app.addHook('onSend', (_request, reply, payload, done) => {
    // A connection kept alive past its last request would hold the stop up until it idles out.
    if (state.isClosing) reply.header('Connection', 'close');
    done(null, payload);
  });
  app.addHook('onResponse', (request, reply, done) => {
    const ms = Math.round(reply.elapsedTime * 100) / 100;
    const trace = request.span && { trace_id: request.span.traceId };
    const { method } = request;
    request.log.info({ method, route: routeOf(request), status: reply.statusCode, ms, ...trace }, 'request');
    done();
  });
  app.setErrorHandler((error, request, reply) => sendError(request, reply, error));
}

const LISTEN_PROBLEMS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'is in use already. Stop what listens there, or choose another port (0 takes any free one)',
  EACCES: 'may not be used by this user. Choose a port above 1023',
  EADDRNOTAVAIL: 'is not an address of this machine. Choose another host',
  ENOTFOUND: 'cannot be resolved. Choose another host',
};

async function listen(app: FastifyInstance, host: string, port: number): Promise<string> {
  try {
    return await app.listen({ host, port });
  } catch (cause) {
    const problem = LISTEN_PROBLEMS[(cause as NodeJS.ErrnoException).code ?? ''] ?? 'cannot be listened on';
    throw new LaminaError(
      'CONFIGURATION_ERROR',
      `${host}:${port} ${problem}: --host and --port, or LAMINA_HOST and LAMINA_PORT.`,
      { cause },
    );
  }
}

async function drain(app: FastifyInstance, unused: UnusedConnections): Promise<void> {
  // A connection falls idle only when its last request has ended, which may be after the closing began.
  const sweep = setInterval(() => {
    app.server.closeIdleConnections();
    unused.sweep();
  }, SWEEP_MS);
  const cutOff = setTimeout(() => app.server.closeAllConnections(), DRAIN_TIMEOUT_MS);
  try {
    await app.close();
  } finally {
    clearInterval(sweep);
    clearTimeout(cutOff);
  }
}
