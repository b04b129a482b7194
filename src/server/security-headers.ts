/** Headers that every answer carries. */

import type { FastifyReply } from 'fastify';

/**
 * Answers hold people's memories: no cache may keep them, no browser may take them for something else, and no page of others may
 * show or read them. There are no `Access-Control-` headers at all. Pages that want more of a browser say so themselves.
 */
export const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-frame-options': 'DENY',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
};

/** A browser that has been here by TLS does not come without it for a year. */
const OVER_TLS: Readonly<Record<string, string>> = {
  ...SECURITY_HEADERS,
  'strict-transport-security': 'max-age=31536000',
};

export function applySecurityHeaders(reply: FastifyReply, requestId: string): void {
  reply.header('x-request-id', requestId);
  reply.headers('encrypted' in reply.raw.req.socket ? OVER_TLS : SECURITY_HEADERS);
}
