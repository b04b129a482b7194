/** What a failed response means, whether it came from Lamina or from something in between. */

import { isErrorCode, LaminaError, type ErrorCode } from '../domain/error.ts';
import { retryAfterMs } from '../domain/retry.ts';
import { decodeError } from '../operations/wire-error.ts';
import type { Answer } from './exchange.ts';

type Details = Record<string, unknown>;
type BodyField = 'code' | 'message' | 'operation' | 'details' | 'request_id';

/** The error from the service, with its fields spelled as in the library. */
export function errorOf(answer: Answer, operation: string, decodePath: (path: string) => string): LaminaError {
  const body = answer.json as Partial<Record<BodyField, unknown>> | null | undefined;
  if (!isErrorCode(body?.code) || typeof body.message !== 'string') return foreignError(answer, operation);
  const details = withDelay(isRecord(body.details) ? body.details : undefined, answer);
  const spelt = decodeError({ code: body.code, message: body.message, details }, decodePath);
  return new LaminaError(spelt.code, spelt.message, {
    operation: typeof body.operation === 'string' ? body.operation : operation,
    ...(spelt.details && { details: spelt.details }),
    ...(typeof body.request_id === 'string' && { requestId: body.request_id }),
  });
}

/** The wait is in the header, even if the body does not mention it. */
function withDelay(details: Details | undefined, { retryAfter }: Answer): Details | undefined {
  const wait = retryAfterMs(retryAfter, Date.now()) ?? 0;
  return wait === 0 || details?.['retryAfterMs'] !== undefined ? details : { ...details, retryAfterMs: wait };
}

function isRecord(value: unknown): value is Details {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const CODE_OF_STATUS: Readonly<Record<number, ErrorCode>> = {
  401: 'UNAUTHORIZED',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  405: 'METHOD_NOT_ALLOWED',
  408: 'UNAVAILABLE',
  413: 'LIMIT_EXCEEDED',
  429: 'RATE_LIMITED',
  502: 'UNAVAILABLE',
  503: 'UNAVAILABLE',
  504: 'UNAVAILABLE',
};

/**
 * A proxy's error page, a wrong URL, a captive portal … `details.foreign` marks that it says nothing about the request
 * itself.
 */
export function foreignError(answer: Answer, operation: string): LaminaError {
  const { status } = answer;
  const details = withDelay({ status, foreign: true }, answer);
  return new LaminaError(
    CODE_OF_STATUS[status] ?? 'PROVIDER_ERROR',
    `Something that is not Lamina answered with status ${status}; check the url and what stands in between.`,
    { operation, ...(details && { details }) },
  );
}
