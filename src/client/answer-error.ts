/** What a failed answer means, whether Lamina gave it or something on the way. */

import { isErrorCode, LaminaError, type ErrorCode } from '../domain/error.ts';
import { retryAfterMs } from '../domain/retry.ts';
import { decodeError } from '../operations/wire-error.ts';
import type { Answer } from './exchange.ts';

type BodyField = 'code' | 'message' | 'operation' | 'details' | 'request_id';

/** The error that the service told of, with its fields named as the library names them. */
export function errorOf(answer: Answer, operation: string, decodePath: (path: string) => string): LaminaError {
  const body = answer.json as Partial<Record<BodyField, unknown>> | null | undefined;
  if (!isErrorCode(body?.code) || typeof body.message !== 'string') return foreignError(answer, operation);
  const details = isRecord(body.details) ? body.details : undefined;
  const spelt = decodeError({ code: body.code, message: body.message, details }, decodePath);
  return new LaminaError(spelt.code, spelt.message, {
    operation: typeof body.operation === 'string' ? body.operation : operation,
    ...(spelt.details && { details: spelt.details }),
    ...(typeof body.request_id === 'string' && { requestId: body.request_id }),
  });
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const CODE_OF_STATUS: Readonly<Record<number, ErrorCode>> = {
  401: 'UNAUTHORIZED',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  408: 'UNAVAILABLE',
  413: 'LIMIT_EXCEEDED',
  429: 'RATE_LIMITED',
  502: 'UNAVAILABLE',
  503: 'UNAVAILABLE',
  504: 'UNAVAILABLE',
};

/** A proxy's error page, a wrong URL, a captive portal … By `details.foreign` it says nothing about what was asked. */
export function foreignError({ status, retryAfter }: Answer, operation: string): LaminaError {
  const wait = retryAfterMs(retryAfter, Date.now()) ?? 0;
  return new LaminaError(
    CODE_OF_STATUS[status] ?? 'PROVIDER_ERROR',
    `Something that is not Lamina answered with status ${status}; check the url and what stands in between.`,
    { operation, details: { status, foreign: true, ...(wait > 0 && { retryAfterMs: wait }) } },
  );
}
