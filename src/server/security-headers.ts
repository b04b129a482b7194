/** Headers of every response. */

import type { FastifyReply } from 'fastify';

/**
 * Responses contain people's memories: no cache may store them, no browser may sniff another type, and no foreign page may
 * embed or read them. There are no `Access-Control-` headers at all. Pages that need more set their own headers.
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

/** A browser that has connected over TLS uses only TLS for a year. */
const OVER_TLS: Readonly<Record<string, string>> = {
  ...SECURITY_HEADERS,
  'strict-transport-security': 'max-age=31536000',
};

export function applySecurityHeaders(reply: FastifyReply, requestId: string): void {
  reply.header('x-request-id', requestId);
  reply.headers(isOverTls(reply) ? OVER_TLS : SECURITY_HEADERS);
}

/** Names and values in turns, as Node takes them. */
const LISTED = Object.entries(SECURITY_HEADERS).flat();
const LISTED_OVER_TLS = Object.entries(OVER_TLS).flat();

/** The same for a response that is not written by Fastify. */
export function listSecurityHeaders(reply: FastifyReply, requestId: string): (string | number)[] {
  return ['x-request-id', requestId, ...(isOverTls(reply) ? LISTED_OVER_TLS : LISTED)];
}

function isOverTls({ raw }: FastifyReply): boolean {
  return 'encrypted' in raw.req.socket;
}
