/** A request that was refused before the protocol got to see it, answered as JSON-RPC has it. */

import type { FastifyReply, FastifyRequest } from 'fastify';
import { errorBody, prepareError } from './http-error.ts';

const PARSE_ERROR = -32_700;
const INTERNAL_ERROR = -32_603;
/** The first of those that are left to implementations. */
const REFUSED = -32_000;

/** Status and headers are those of every other route; `data` holds the error as other routes answer it. */
export function sendProtocolError(request: FastifyRequest, reply: FastifyReply, thrown: unknown): FastifyReply {
  const error = prepareError(request, reply, thrown);
  const isUnreadable = /^The body is not valid (JSON|UTF-8)/.test(error.message);
  const code = isUnreadable ? PARSE_ERROR : error.status >= 500 ? INTERNAL_ERROR : REFUSED;
  const data = errorBody(error, request.id);
  return reply.send({ jsonrpc: '2.0', id: null, error: { code, message: error.message, data } });
}
