/**
 * The principal as HTTP headers. A header carries plain ASCII only, so everything else, spaces and the percent
 * sign itself travel percent-encoded (UTF-8): `José` is `Jos%C3%A9`, `100%` is `100%25`.
 */

import { LaminaError } from '../domain/error.ts';
import type { PrincipalInput } from '../domain/principal.ts';

export const PRINCIPAL_HEADERS = {
  tenantId: 'X-Tenant-ID',
  userId: 'X-User-ID',
  agentId: 'X-Agent-ID',
} as const;

type PrincipalField = keyof typeof PRINCIPAL_HEADERS;

/** Trusted only without authentication; a comma-separated list. */
export const ROLES_HEADER = 'X-Roles';

export const PRINCIPAL_FIELDS = Object.keys(PRINCIPAL_HEADERS) as readonly PrincipalField[];

/** What a header may contain unencoded: visible ASCII except the percent sign. */
const PLAIN = /^[\x21-\x24\x26-\x7e]*$/;
/** The same, with percent-encoding; inner spaces are let through for people who type them. */
const READABLE = /^[\x20-\x7e]*$/;

function refuse(header: string, problem: string): never {
  throw new LaminaError('VALIDATION_FAILED', `${header} ${problem}.`, {
    details: { problems: [{ path: header, message: problem }] },
  });
}

/** The headers that carry a principal. Throws `VALIDATION_FAILED` for what is not text. */
export function encodePrincipal(principal: PrincipalInput): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const field of PRINCIPAL_FIELDS) {
    const value: unknown = principal[field];
    if (value !== undefined) headers[PRINCIPAL_HEADERS[field]] = encodeText(PRINCIPAL_HEADERS[field], value);
  }
  if (principal.roles !== undefined) headers[ROLES_HEADER] = encodeText(ROLES_HEADER, principal.roles.join(','));
  return headers;
}

function encodeText(header: string, value: unknown): string {
  if (typeof value !== 'string') refuse(header, 'must be a string');
  if (PLAIN.test(value)) return value;
  if (!value.isWellFormed()) refuse(header, 'contains a lone surrogate, which is not valid Unicode');
  return encodeURIComponent(value);
}

/** The text that a header carries. Throws `VALIDATION_FAILED` naming the header. */
export function decodeText(header: string, value: string): string {
  if (!READABLE.test(value)) refuse(header, 'may hold ASCII only; percent-encode the rest, as in "Jos%C3%A9"');
  try {
    return decodeURIComponent(value);
  } catch {
    return refuse(header, 'is not valid percent-encoding; a percent sign itself is "%25"');
  }
}
