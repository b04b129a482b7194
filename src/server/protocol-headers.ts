/** Headers that a protocol asks for on each of its answers. */

import type { FastifyReply } from 'fastify';
import type { HttpBinding } from '../operations/operation.ts';

/** Where no rates are limited, so many are always left: as much as any program can count in 32 bits. */
const UNLIMITED = 2_147_483_647;
/** Seconds until more are. */
const NOTHING_TO_WAIT_FOR = 0;

/** Before anything can fail, so that failures carry them too. */
export function applyProtocolHeaders(reply: FastifyReply, { protocol }: HttpBinding, version: string): void {
  if (protocol !== 'openspec') return;
  reply.header('X-Provider-Version', version);
  if (reply.hasHeader('X-Rate-Limit-Remaining')) return;
  reply.headers({ 'X-Rate-Limit-Remaining': UNLIMITED, 'X-Rate-Limit-Reset': NOTHING_TO_WAIT_FOR });
}
