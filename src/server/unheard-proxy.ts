/** Detects an untrusted proxy that sends `X-Forwarded-For`: all clients behind it count as one address. */

import type { FastifyRequest } from 'fastify';

/** Whether the request names another address but comes from an untrusted peer. */
export function isUnheardProxy({ headers, ips }: Pick<FastifyRequest, 'headers' | 'ips'>): boolean {
  // For a trusted peer there are more addresses than its own.
  if (headers['x-forwarded-for'] !== undefined) return ips === undefined || ips.length === 1;
  return headers.forwarded !== undefined && ips === undefined;
}

export function warnOfUnheardProxy({ log, socket }: Pick<FastifyRequest, 'log' | 'socket'>): void {
  const peer = socket.remoteAddress ?? 'a peer without an address';
  log.warn(
    `${peer} says for whom it asks (X-Forwarded-For) and is not believed: everybody behind it counts as one address, and wrong credentials ` +
      `of one lock out all. If it is a proxy of yours, set LAMINA_TRUST_PROXY to its address. This is said once.`,
  );
}
