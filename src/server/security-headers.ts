/** Headers that every answer carries. */

import type { FastifyReply } from 'fastify';

/** Answers hold people's memories: no cache may keep them, and no browser may take them for something else. */
export function applySecurityHeaders(reply: FastifyReply, requestId: string): void {
  reply.headers({
    'X-Request-ID': requestId,
    'X-Content-Type-Options': 'nosniff',
    'Cache-Control': 'no-store',
    'Referrer-Policy': 'no-referrer',
    'X-Frame-Options': 'DENY',
  });
}
