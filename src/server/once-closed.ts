/** Releasing what a response holds, when it is over. */

import type { FastifyReply } from 'fastify';

/**
 * Calls it once when the connection of the response is closed. At once if it already is: the client may have left during
 * authentication, and the event is not emitted again.
 */
export function onceClosed({ raw }: FastifyReply, done: () => void): void {
  if (raw.closed || raw.destroyed) done();
  else raw.once('close', done);
}
