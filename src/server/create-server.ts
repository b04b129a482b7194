/** The HTTP service: the table of operations behind Fastify. */

import type { FastifyInstance } from 'fastify';
import { LaminaError } from '../domain/error.ts';
import { addOperationRoutes } from './operation-routes.ts';
import { createApplication, keepTlsUpToDate } from './create-application.ts';
import type { ServerDependencies } from './dependencies.ts';
import { drain } from './drain.ts';
import { followEveryRequest } from './every-request.ts';
import { Gate, watchPressure } from './gate.ts';
import { useJsonBodies } from './json-body.ts';
import { addInspectorRoutes } from './inspector-routes.ts';
import { addMcpRoutes } from './mcp-routes.ts';
import { DEFAULT_SERVICE_LIMITS } from './service-limits.ts';
import { addSystemRoutes } from './system-routes.ts';
import { answerUnknownRoutes } from './unknown-route.ts';
import { UnusedConnections } from './unused-connections.ts';

export interface LaminaServer {
  /**
   * Resolves with the address, such as `http://127.0.0.1:8787`, once requests are served. Port 0 takes a free one. Throws
   * `CONFIGURATION_ERROR` if the address is not available.
   */
  listen(options: { readonly host: string; readonly port: number }): Promise<string>;
  /** Writes a line of the level "warn" into its log. */
  warn(message: string): void;
  /** Reloads the TLS files for new connections. If they are unusable, the old ones stay. */
  reload(): void;
  /**
   * Accepts no new connections, lets pending requests finish (for a while), then resolves. Requests that still arrive on
   * open connections are answered with `Connection: close`.
   */
  close(): Promise<void>;
}

export function createServer(dependencies: ServerDependencies): LaminaServer {
  const { tls } = dependencies;
  const limits = { ...DEFAULT_SERVICE_LIMITS, ...dependencies.limits };
  const app = createApplication(dependencies, limits);
  const state = { isClosing: false };
  const unused = new UnusedConnections(app.server, tls !== undefined);
  const gate = new Gate(limits);
  followEveryRequest(app, { gate, observer: dependencies.observer, state, logger: dependencies.logger });
  watchPressure(app, gate);
  answerUnknownRoutes(app);
  useJsonBodies(app);
  app.decorateRequest('principal', null);
  addOperationRoutes(app, dependencies, gate, state);
  addMcpRoutes(app, dependencies, gate);
  addSystemRoutes(app, dependencies, gate, state);
  const { inspectorFolder } = dependencies;
  if (inspectorFolder === undefined) app.get('/', async (_request, reply) => reply.redirect('/docs'));
  else addInspectorRoutes(app, inspectorFolder);
  const secured = tls && keepTlsUpToDate(app, tls);
  return {
    listen: (options) => listen(app, options.host, options.port),
    warn: (message) => app.log.warn(message),
    reload: () => secured?.reload(),
    close: () => {
      secured?.stop();
      return drain(app, unused, () => (state.isClosing = true), dependencies.lastRequestsMs);
    },
  };
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
