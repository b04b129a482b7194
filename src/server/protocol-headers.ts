/** Headers that a protocol requires on each response. */

import type { FastifyReply } from 'fastify';
import type { HttpBinding } from '../operations/operation.ts';

/** Sent as the remaining requests if no rate is limited: the largest signed 32-bit number. */
const UNLIMITED = 2_147_483_647;
/** Seconds until more are. */
const NOTHING_TO_WAIT_FOR = 0;

/** Set before anything can fail, so that failures carry them too. */
export function applyProtocolHeaders(reply: FastifyReply, { protocol }: HttpBinding, version: string): void {
  if (protocol !== 'openspec') return;
  reply.header('X-Provider-Version', version);
  if (reply.hasHeader('X-Rate-Limit-Remaining')) return;
  reply.headers({ 'X-Rate-Limit-Remaining': UNLIMITED, 'X-Rate-Limit-Reset': NOTHING_TO_WAIT_FOR });
}
