/**
 * What every request passes on its way in and out. One hook per direction: each additional Fastify hook costs more than
 * most of these checks.
 */

import { Readable } from 'node:stream';
import type { FastifyContextConfig, FastifyInstance, FastifyRequest } from 'fastify';
import type { LoggerOptions, RequestObserver } from './dependencies.ts';
import type { Gate } from './gate.ts';
import { sendError } from './http-error.ts';
import { beginObserving, endObserving } from './observe-requests.ts';
import { assertClearHead } from './request-head.ts';
import { requestLines, type WriteLine } from './request-line.ts';
import { applySecurityHeaders } from './security-headers.ts';

/** What is the same for every request of a route. */
interface RouteFacts {
  /** The pattern and not the URL: ids and queries must not be exposed. */
  readonly url: string;
  readonly isVital: boolean;
  /** Only for requests to memory: health checks are not traced. */
  readonly isTraced: boolean;
  /** Its answers bring the headers of every response; its errors do anyway. */
  readonly isByHand: boolean;
  readonly writeLine: WriteLine;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Null before the first hook. */
    facts: RouteFacts | null;
  }
}

interface Follow {
  readonly gate: Gate;
  readonly observer: RequestObserver | undefined;
  readonly state: { readonly isClosing: boolean };
  readonly logger: LoggerOptions;
}

/** Call before routes are added. */
export function followEveryRequest(app: FastifyInstance, { gate, observer, state, logger }: Follow): void {
  const factsOf = routeFacts(requestLines(logger, app.log));
  app.decorateRequest('facts', null);
  app.decorateRequest('span', null);
  app.decorateRequest('isEnded', false);
  app.addHook('onRequest', (request, reply, done) => {
    const facts = (request.facts = factsOf(request));
    if (!facts.isByHand) applySecurityHeaders(reply, request.id);
    assertClearHead(request.raw);
    if (!facts.isVital) {
      gate.pressure.assertBearable();
      gate.rates.countAddress(request, reply);
    }
    if (observer !== undefined && facts.isTraced) beginObserving(observer, request, reply, facts.url);
    done();
  });
  app.addHook('onSend', (request, reply, payload, done) => {
    // A keep-alive connection would delay the stop until it times out.
    if (state.isClosing) reply.header('Connection', 'close');
    // A stream may be open for days: that is not the response time.
    if (payload instanceof Readable) endObserving(observer, request, reply, factsOf(request).url);
    done(null, payload);
  });
  app.addHook('onResponse', (request, reply, done) => {
    const facts = request.facts ?? factsOf(request);
    facts.writeLine({
      id: request.id,
      method: request.method,
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime * 100) / 100,
      traceId: request.span?.traceId,
    });
    endObserving(observer, request, reply, facts.url);
    done();
  });
  app.setErrorHandler((error, request, reply) => sendError(request, reply, error));
}

/** Cached by the configuration of the route: building it takes a while. */
function routeFacts(linesOf: (route: string) => WriteLine): (request: FastifyRequest) => RouteFacts {
  const known = new WeakMap<FastifyContextConfig, RouteFacts>();
  return ({ routeOptions }) => {
    const { config, url = 'unknown' } = routeOptions;
    let facts = known.get(config);
    if (facts === undefined) {
      const isTraced = config.operation !== undefined || config.isProtocol === true;
      const { isVital = false, isByHand = false } = config;
      facts = { url, isVital, isTraced, isByHand, writeLine: linesOf(url) };
      known.set(config, facts);
    }
    return facts;
  };
}
