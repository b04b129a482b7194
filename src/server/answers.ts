/**
 * Answers of operations, written to the response by hand: Fastify would look at the body for what it could be, run hooks, and copy
 * the headers one by one into an object that Node takes apart again, which together takes as long as the operation.
 */

import type { FastifyReply, FastifyRequest } from 'fastify';
import { presentOutput } from '../operations/present-output.ts';
import { OPERATIONS, type CallName } from '../operations/table.ts';
import type { Operation } from '../operations/operation.ts';
import { wireOf } from '../operations/wire.ts';
import { listSecurityHeaders } from './security-headers.ts';

const JSON_TYPE = 'application/json; charset=utf-8';

/** Whether the service is being stopped. */
export interface Closing {
  readonly isClosing: boolean;
}

/** Throws what `presentOutput` throws; then nothing has been sent. */
export function sendAnswer(
  name: CallName,
  request: FastifyRequest,
  reply: FastifyReply,
  given: object | null,
  { isClosing }: Closing,
): void {
  const operation: Operation = OPERATIONS[name];
  const output = presentOutput(operation, given);
  const text = operation.empty ? undefined : wireOf(name).output.encodeText(output);
  const headers = listSecurityHeaders(reply, request.id);
  // Those of rates and protocols. Most answers have none.
  const told = reply.getHeaders();
  for (const header in told) headers.push(header, told[header] as string | number);
  const version = versionOf(output);
  if (version !== undefined) headers.push('etag', `"${version}"`);
  // A keep-alive connection would delay the stop until it times out.
  if (isClosing) headers.push('connection', 'close');
  if (text !== undefined) headers.push('content-type', JSON_TYPE, 'content-length', Buffer.byteLength(text));
  reply.hijack();
  reply.raw.writeHead(operation.http.status, headers);
  reply.raw.end(text);
}

/** The version of the output, or of the entry in it. */
function versionOf(output: object): number | undefined {
  const memory: unknown = 'memory' in output ? output.memory : 'entry' in output ? output.entry : output;
  const version: unknown = (memory as { readonly version?: unknown } | null)?.version;
  return typeof version === 'number' ? version : undefined;
}
