/** How a server ends: nobody new, an answer for everyone who has asked, and then nothing is left open. */

import { Server as ConnectionServer } from 'node:net';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import type { UnusedConnections } from './unused-connections.ts';

/** After this, requests still under way are cut off, so that a stop always comes to its end. */
const DRAIN_TIMEOUT_MS = 10_000;
const SWEEP_MS = 100;

/** More than a request takes that was sent before anybody could know of the end. */
export const LAST_REQUESTS_MS = 250;

/**
 * Connections on which nothing happens stay open for `lastRequestsMs`. `begun` is called when nobody new comes any more: from then on
 * answers have to say that they are the last.
 */
export async function drain(
  app: FastifyInstance,
  unused: UnusedConnections,
  begun: () => void,
  lastRequestsMs: number = LAST_REQUESTS_MS,
): Promise<void> {
  const cutOff = setTimeout(() => app.server.closeAllConnections(), DRAIN_TIMEOUT_MS);
  // To who has connected already the system has said yes: closing the port would take that back.
  await everythingHeard();
  // Closed in the way of HTTP, it would at once cut off who seems to be idle and has a request on its way to us:
  // https://github.com/nodejs/node/issues/60617
  const isGone = new Promise((resolve) => ConnectionServer.prototype.close.call(app.server, resolve));
  begun();
  await Promise.race([isGone, sleep(lastRequestsMs)]);
  await everythingHeard();
  // A connection falls idle only when its last request has ended, which may be after the closing began.
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

/** What has arrived by now was taken in, however late the event loop is: a turn begins with it, and this one may have begun before. */
async function everythingHeard(): Promise<void> {
  await nextTurn();
  await nextTurn();
}
