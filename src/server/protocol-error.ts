/** A request that was refused before it reached the protocol, answered as a JSON-RPC error. */

import type { FastifyReply, FastifyRequest } from 'fastify';
import { errorBody, prepareError } from './http-error.ts';
import { UnreadableBody } from './json-body.ts';

const PARSE_ERROR = -32_700;
const INTERNAL_ERROR = -32_603;
/** The first code that JSON-RPC leaves to implementations. */
const REFUSED = -32_000;

/** Status and headers are those of every other route; `data` holds the error as other routes answer it. */
export function sendProtocolError(request: FastifyRequest, reply: FastifyReply, thrown: unknown): FastifyReply {
  const error = prepareError(request, reply, thrown);
  const code = thrown instanceof UnreadableBody ? PARSE_ERROR : error.status >= 500 ? INTERNAL_ERROR : REFUSED;
  const data = errorBody(error, request.id);
  return reply.send({ jsonrpc: '2.0', id: null, error: { code, message: error.message, data } });
}
