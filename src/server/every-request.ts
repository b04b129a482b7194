/** What every request passes on its way in and out. One hook for each: a further one costs more than most of what is done in them. */

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
  /** The pattern and not the URL: ids and queries are for nobody to see. */
  readonly url: string;
  readonly isVital: boolean;
  /** Of what reaches memory only: nobody wants a trace of each look at the health. */
  readonly isTraced: boolean;
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
    applySecurityHeaders(reply, request.id);
    assertClearHead(request.raw);
    if (!facts.isVital) {
      gate.pressure.assertBearable();
      gate.rates.countAddress(request, reply);
    }
    if (observer !== undefined && facts.isTraced) beginObserving(observer, request, reply, facts.url);
    done();
  });
  app.addHook('onSend', (request, reply, payload, done) => {
    // A connection kept alive past its last request would hold the stop up until it idles out.
    if (state.isClosing) reply.header('Connection', 'close');
    // A stream may be followed for days: that is not how long the answer took.
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

/** Found by the configuration that a route has, and its requests with it: to put them together takes a while. */
function routeFacts(linesOf: (route: string) => WriteLine): (request: FastifyRequest) => RouteFacts {
  const known = new WeakMap<FastifyContextConfig, RouteFacts>();
  return ({ routeOptions }) => {
    const { config, url = 'unknown' } = routeOptions;
    let facts = known.get(config);
    if (facts === undefined) {
      const isTraced = config.operation !== undefined || config.isProtocol === true;
      facts = { url, isVital: config.isVital === true, isTraced, writeLine: linesOf(url) };
      known.set(config, facts);
    }
    return facts;
  };
}
