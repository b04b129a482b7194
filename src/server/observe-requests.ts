/** Tells whoever wants to know of each request: when it began, how it was answered, how long that took. */

import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { RequestObserver, RequestSpan } from './dependencies.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Of what reaches memory only: nobody wants a trace of each look at the health. */
    span: RequestSpan | null;
    isEnded: boolean;
  }
}

/** The pattern of the route, not the URL: ids and queries are for nobody to see. */
export function routeOf(request: FastifyRequest): string {
  return request.routeOptions.url ?? 'unknown';
}

/** Runs work as a part of the request's trace, where it has one. */
export function withinSpan<T>({ span }: FastifyRequest, work: () => T): T {
  return span === null ? work() : span.within(work);
}

/** Call before routes are added. */
export function observeRequests(app: FastifyInstance, observer: RequestObserver | undefined): void {
  app.decorateRequest('span', null);
  app.decorateRequest('isEnded', false);
  if (observer === undefined) return;
  app.addHook('onRequest', (request, reply, done) => {
    const { operation, isProtocol } = request.routeOptions.config;
    if (operation !== undefined || isProtocol) begin(observer, request, reply);
    done();
  });
  app.addHook('onSend', (request, reply, payload, done) => {
    // A stream may be followed for days: that is not how long the answer took.
    if (payload instanceof Readable) end(observer, request, reply);
    done(null, payload);
  });
  app.addHook('onResponse', (request, reply, done) => {
    end(observer, request, reply);
    done();
  });
}

function begin(observer: RequestObserver, request: FastifyRequest, reply: FastifyReply): void {
  const span = observer.begin(request.method, routeOf(request), request.headers);
  request.span = span;
  // Also when whoever asked has left before the answer.
  if (span !== null) reply.raw.once('close', () => span.end(reply.statusCode));
}

function end(observer: RequestObserver, request: FastifyRequest, reply: FastifyReply): void {
  if (request.isEnded) return;
  request.isEnded = true;
  const [route, status] = [routeOf(request), reply.statusCode];
  request.span?.end(status);
  observer.ended({ method: request.method, route, status, durationMs: reply.elapsedTime });
}
