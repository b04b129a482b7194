/** Graceful shutdown: no new connections, an answer for every request, then everything is closed. */

import { Server as ConnectionServer } from 'node:net';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import type { UnusedConnections } from './unused-connections.ts';

/** After this, pending requests are cut off, so that a stop always ends. */
const DRAIN_TIMEOUT_MS = 10_000;
const SWEEP_MS = 100;

/** Longer than a request takes that was sent before the client could know of the shutdown. */
export const LAST_REQUESTS_MS = 250;

/**
 * Idle connections stay open for `lastRequestsMs`. `begun` is called when no new connections are accepted: from then on
 * responses must say that they are the last.
 */
export async function drain(
  app: FastifyInstance,
  unused: UnusedConnections,
  begun: () => void,
  lastRequestsMs: number = LAST_REQUESTS_MS,
): Promise<void> {
  const cutOff = setTimeout(() => app.server.closeAllConnections(), DRAIN_TIMEOUT_MS);
  // The kernel has already accepted these connections; closing the port now would reset them.
  await everythingHeard();
  // The HTTP server's own close would at once cut off connections that seem idle but have a request on its way:
  // https://github.com/nodejs/node/issues/60617
  const isGone = new Promise((resolve) => ConnectionServer.prototype.close.call(app.server, resolve));
  begun();
  await Promise.race([isGone, sleep(lastRequestsMs)]);
  await everythingHeard();
  // A connection becomes idle only when its last request has ended, which may be after the shutdown began.
  const sweep = setInterval(() => {
    app.server.closeIdleConnections();
    unused.sweep();
  }, SWEEP_MS);
  try {
    await app.close();
  } finally {
    clearInterval(sweep);
    clearTimeout(cutOff);
  }
}

/**
 * Resolves when everything that has arrived by now was accepted, however late the event loop is: a turn begins with that,
 * and this one may have begun before.
 */
async function everythingHeard(): Promise<void> {
  await nextTurn();
  await nextTurn();
}
