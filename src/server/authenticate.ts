/** Who is asking, where no authentication is configured: what the headers say. */

import type { IncomingHttpHeaders } from 'node:http';
import { LRUCache } from 'lru-cache';
import { LaminaError } from '../domain/error.ts';
import { LOCAL_USER, principalSchema, type Principal } from '../domain/principal.ts';
import { validate } from '../operations/validate.ts';
import { decodeText, PRINCIPAL_FIELDS, PRINCIPAL_HEADERS, ROLES_HEADER } from '../operations/wire-headers.ts';

/** Throws `UNAUTHORIZED`, `FORBIDDEN` or `VALIDATION_FAILED`. */
export type Authenticate = (headers: IncomingHttpHeaders) => Principal | Promise<Principal>;

/** As Node spells them. */
const HEADER_NAMES = [...Object.values(PRINCIPAL_HEADERS), ROLES_HEADER].map((name) => name.toLowerCase());

const LOOPBACK_HOST = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/i;

/** Principals that are kept: to validate who asks anew each time was, measured, an eighth of a read of working memory. */
const MAX_KEPT = 500;

/**
 * Takes the principal from `X-Tenant-ID`, `X-User-ID`, `X-Agent-ID` and `X-Roles`. Everyone who reaches the server is
 * believed, so it answers only requests addressed to this machine: a web page that has its own name resolve to the
 * loopback address (DNS rebinding) is refused. Who names no user is whoever runs this machine: an administrator.
 */
export function authenticateByHeaders(): Authenticate {
  const kept = new LRUCache<string, Principal>({ max: MAX_KEPT });
  return (headers) => {
    const said = saidIn(headers);
    let principal = kept.get(said);
    if (principal === undefined) {
      principal = principalIn(headers);
      kept.set(said, principal);
    }
    return principal;
  };
}

/** All that the principal follows from. No header holds a line break, so none can be taken for another. */
function saidIn(headers: IncomingHttpHeaders): string {
  let said = headers.host ?? '';
  for (const name of HEADER_NAMES) said += headers[name] === undefined ? '\n' : `\n:${String(headers[name])}`;
  return said;
}

function principalIn(headers: IncomingHttpHeaders): Principal {
  assertLoopbackHost(headers.host ?? '');
  const isOperator = headers[PRINCIPAL_HEADERS.userId.toLowerCase()] === undefined;
  const principal: Record<string, unknown> = { userId: LOCAL_USER, roles: rolesIn(headers, isOperator) };
  for (const field of PRINCIPAL_FIELDS) {
    const value = headers[PRINCIPAL_HEADERS[field].toLowerCase()];
    if (value === '') throw emptyHeader(PRINCIPAL_HEADERS[field]);
    if (value !== undefined) principal[field] = decodeText(PRINCIPAL_HEADERS[field], String(value));
  }
  return validatePrincipal(principal);
}

/** Often a variable that was not set: to take it for nobody would make an administrator of whoever forgot it. */
function emptyHeader(header: string): LaminaError {
  const message = 'is empty: give it a value, or leave the header out';
  return new LaminaError('VALIDATION_FAILED', `${header} ${message}.`, {
    details: { problems: [{ path: header, message }] },
  });
}

function rolesIn(headers: IncomingHttpHeaders, isOperator: boolean): string[] {
  const value = headers[ROLES_HEADER.toLowerCase()];
  if (value === undefined) return isOperator ? ['admin'] : ['member'];
  return decodeText(ROLES_HEADER, String(value))
    .split(',')
    .map((role) => role.trim())
    .filter((role) => role !== '');
}

function assertLoopbackHost(host: string): void {
  if (LOOPBACK_HOST.test(host.replace(/:\d+$/, ''))) return;
  throw new LaminaError(
    'FORBIDDEN',
    'Without authentication the service answers only to localhost, 127.0.0.1 and [::1], not to other host names.',
  );
}

/** The same validation as everywhere, but naming headers instead of fields. */
function validatePrincipal(input: Record<string, unknown>): Principal {
  try {
    return validate(principalSchema, input);
  } catch (thrown) {
    if (!(thrown instanceof LaminaError)) throw thrown;
    const headers = PRINCIPAL_FIELDS.filter((field) => new RegExp(`\\b${field}\\b`).test(thrown.message));
    const message = PRINCIPAL_FIELDS.reduce(
      (text, field) => text.replaceAll(field, PRINCIPAL_HEADERS[field]),
      thrown.message,
    );
    const problems = headers.map((field) => ({ path: PRINCIPAL_HEADERS[field], message }));
    throw new LaminaError(thrown.code, message, { details: { problems } });
  }
}
