/** Reports each request: when it began, how it was answered, how long that took. */

import type { FastifyReply, FastifyRequest } from 'fastify';
import type { RequestObserver, RequestSpan } from './dependencies.ts';

declare module 'fastify' {
  interface FastifyRequest {
    span: RequestSpan | null;
    isEnded: boolean;
  }
}

/** Runs work as part of the request's trace, if it has one. */
export function withinSpan<T>({ span }: FastifyRequest, work: () => T): T {
  return span === null ? work() : span.within(work);
}

export function beginObserving(
  observer: RequestObserver,
  request: FastifyRequest,
  reply: FastifyReply,
  route: string,
): void {
  const span = observer.begin(request.method, route, request.headers);
  request.span = span;
  // Also if the client left before the answer.
  if (span !== null) reply.raw.once('close', () => span.end(reply.statusCode));
}

/** The first call counts. */
export function endObserving(
  observer: RequestObserver | undefined,
  request: FastifyRequest,
  reply: FastifyReply,
  route: string,
): void {
  if (observer === undefined || request.isEnded) return;
  request.isEnded = true;
  const status = reply.statusCode;
  request.span?.end(status);
  observer.ended({ method: request.method, route, status, durationMs: reply.elapsedTime });
}
