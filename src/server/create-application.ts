/** The Fastify instance: HTTP or TLS, with timeouts, and errors of one shape. */

import type { Server } from 'node:tls';
import { fastify, LogController, type FastifyInstance, type FastifyServerOptions } from 'fastify';
import { DEFAULT_BODY_LIMIT, type ServerDependencies } from './dependencies.ts';
import { sendError } from './http-error.ts';
import { answerMalformed } from './malformed-request.ts';
import { requestIdOf } from './request-id.ts';
import { makeLogsLate } from './request-log.ts';
import type { ServiceLimits } from './service-limits.ts';
import { readTls, reloadTls, watchTls, type TlsFiles } from './tls-files.ts';

/** Headers are short: a client that takes longer for them only holds a connection. */
const MAX_HEADERS_MS = 15_000;
/** How often Node checks these timeouts. */
const MAX_LOOK_MS = 5000;
/** Longer than any URL that Node accepts: validation checks the length of an id. */
const MAX_PARAM_LENGTH = 65_536;

/** Throws `CONFIGURATION_ERROR` for unusable TLS files. */
export function createApplication(dependencies: ServerDependencies, limits: ServiceLimits): FastifyInstance {
  const { tls } = dependencies;
  const patience = {
    headersTimeout: Math.min(MAX_HEADERS_MS, limits.receiveMs / 4),
    requestTimeout: limits.receiveMs,
    connectionsCheckingInterval: Math.min(MAX_LOOK_MS, limits.receiveMs / 4),
    // Node's own refusal has no body; request-head.ts has one.
    requireHostHeader: false,
  };
  const options = optionsOf(dependencies, limits);
  // They differ only in the transport, which nothing here depends on.
  const app = tls
    ? (fastify({ ...options, https: { ...readTls(tls), ...patience } }) as unknown as FastifyInstance)
    : fastify({ ...options, http: patience });
  makeLogsLate(app.log);
  if (limits.connections > 0) app.server.maxConnections = limits.connections;
  // Likewise: Node would answer with nothing but a status.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));
  return app;
}

function optionsOf({ logger, bodyLimit, trustedProxies }: ServerDependencies, limits: ServiceLimits) {
  const { level, stream } = logger;
  return {
    logger: { level, ...(stream && { stream }) },
    // One line per request is enough; it is written where requests end.
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'request_id' }),
    bodyLimit: bodyLimit ?? DEFAULT_BODY_LIMIT,
    requestTimeout: limits.receiveMs,
    trustProxy: trustedProxies === undefined ? false : [...trustedProxies],
    requestIdHeader: false,
    genReqId: (request: { readonly headers: Parameters<typeof requestIdOf>[0] }) => requestIdOf(request.headers),
    routerOptions: { maxParamLength: MAX_PARAM_LENGTH },
    // Requests on open connections are still served while draining; Fastify's own 503 has another shape.
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    frameworkErrors: (error, request, reply) => void sendError(request, reply, error),
    clientErrorHandler: answerMalformed,
  } satisfies FastifyServerOptions;
}

/** Renewed certificates are used without a restart. */
export function keepTlsUpToDate(app: FastifyInstance, files: TlsFiles): { reload(): void; stop(): void } {
  const reload = (): void => {
    try {
      reloadTls(app.server as unknown as Server, files);
      app.log.info('The certificate was read again.');
    } catch (error) {
      app.log.error({ err: error }, 'The certificate could not be read again; the one before stays in use.');
    }
  };
  return { reload, stop: watchTls(files, reload) };
}
