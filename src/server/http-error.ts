/** One shape for every failure: maps it to a LaminaError and sends that. */

import type { FastifyReply, FastifyRequest } from 'fastify';
import { asLaminaError, LaminaError } from '../domain/error.ts';
import { OPERATIONS, type OperationName } from '../operations/table.ts';
import { wireOf } from '../operations/wire.ts';
import { encodeError } from '../operations/wire-error.ts';
import { applySecurityHeaders } from './security-headers.ts';

/** The operation of an error if the request never reached one. */
const NO_OPERATION = 'http';
const DEFAULT_RETRY_AFTER_SECONDS = 1;

/** Sends the error. Failures that are not the caller's fault are logged with their cause, which is never sent. */
export function sendError(request: FastifyRequest, reply: FastifyReply, thrown: unknown): FastifyReply {
  const error = prepareError(request, reply, thrown);
  return reply.send(errorBody(error, request.id, operationOf(request)));
}

/** Everything of the response except its body, which another protocol may shape differently. */
export function prepareError(request: FastifyRequest, reply: FastifyReply, thrown: unknown): LaminaError {
  const operation = operationOf(request);
  const error = asLaminaError(fromFramework(thrown, request), operation ?? NO_OPERATION);
  if (error.status >= 500) {
    request.log.error({ err: error.cause ?? error, code: error.code, operation: error.operation }, error.message);
  }
  if (error.code === 'UNAUTHORIZED') {
    // The caller does not learn the reason, and the log has it only at a verbose level.
    request.log.debug({ reason: (error.cause as Error | undefined)?.message }, 'unauthorized');
    reply.header('WWW-Authenticate', 'Bearer');
  }
  const retryAfter = retryAfterSeconds(error);
  if (retryAfter !== undefined) reply.header('Retry-After', retryAfter);
  applySecurityHeaders(reply, request.id);
  reply.status(error.status).type('application/json; charset=utf-8');
  return error;
}

/** The error as it goes over the wire, naming fields as the wire does. */
export function errorBody(error: LaminaError, requestId: string, operation?: OperationName): object {
  const spelt = operation ? encodeError(error, (path) => wireOf(operation).encodePath(path)) : error;
  return {
    ...error.toJSON(),
    message: spelt.message,
    ...(spelt.details && { details: spelt.details }),
    request_id: requestId,
  };
}

function operationOf(request: FastifyRequest): OperationName | undefined {
  // A request that the router refused has no route.
  const name = request.routeOptions?.config?.operation;
  return name !== undefined && Object.hasOwn(OPERATIONS, name) ? name : undefined;
}

/** Undefined if waiting does not help. */
export function retryAfterSeconds(error: LaminaError): number | undefined {
  if (error.code !== 'RATE_LIMITED' && error.code !== 'UNAVAILABLE') return undefined;
  const asked = Number(error.details?.['retryAfterMs']);
  return asked > 0 ? Math.ceil(asked / 1000) : DEFAULT_RETRY_AFTER_SECONDS;
}

/** Fastify's own errors as LaminaErrors. Everything else is returned as it is. */
function fromFramework(thrown: unknown, request: FastifyRequest): unknown {
  if (thrown instanceof LaminaError || !(thrown instanceof Error)) return thrown;
  const { code = '', statusCode = 500 } = thrown as { code?: string; statusCode?: number };
  switch (code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE': {
      const limit = request.routeOptions.bodyLimit ?? 0;
      return new LaminaError('LIMIT_EXCEEDED', `The body is larger than ${limit} bytes.`, { details: { limit } });
    }
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE': {
      const given = request.headers['content-type'];
      const problem = given === undefined ? 'The body has no content type' : 'The body has another content type';
      return new LaminaError('VALIDATION_FAILED', `${problem}; send it with "Content-Type: application/json".`);
    }
    case 'FST_ERR_BAD_URL':
      return new LaminaError('VALIDATION_FAILED', 'The path is not valid percent-encoding.');
    case 'ECONNRESET': {
      // Its status says that it happened while the body was read: the client has left. Elsewhere it is a failure of a backend.
      return statusCode === 400 ? new LaminaError('VALIDATION_FAILED', 'The body did not arrive whole.') : thrown;
    }
    case 'FST_ERR_MAX_PARAM_LENGTH':
      return new LaminaError('VALIDATION_FAILED', 'A part of the path is too long.');
    default: {
      const isCallersFault = code.startsWith('FST_') && statusCode >= 400 && statusCode < 500;
      return isCallersFault
        ? new LaminaError('VALIDATION_FAILED', 'The request is not well-formed.', { cause: thrown })
        : thrown;
    }
  }
}
