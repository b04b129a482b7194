/** The caller, if no authentication is configured: as the headers say. */

import type { IncomingHttpHeaders } from 'node:http';
import { LRUCache } from 'lru-cache';
import { LaminaError } from '../domain/error.ts';
import { LOCAL_USER, type Principal } from '../domain/principal.ts';
import { decodeText, PRINCIPAL_HEADERS, ROLES_HEADER } from '../operations/wire-headers.ts';
import { namedIn, validatePrincipal } from './named-principal.ts';

/** Throws `UNAUTHORIZED`, `FORBIDDEN` or `VALIDATION_FAILED`. */
export type Authenticate = (headers: IncomingHttpHeaders) => Principal | Promise<Principal>;

/** As Node spells them. */
const HEADER_NAMES = [...Object.values(PRINCIPAL_HEADERS), ROLES_HEADER].map((name) => name.toLowerCase());

const LOOPBACK_HOST = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/i;

/**
 * How many principals are cached: validating the caller each time took, as measured, an eighth of a read of working memory.
 */
const MAX_KEPT = 500;

/**
 * Takes the principal from `X-Tenant-ID`, `X-User-ID`, `X-Agent-ID` and `X-Roles`. Every caller is trusted, so it answers
 * only requests addressed to this machine: a web page whose own name resolves to the loopback address (DNS rebinding) is
 * refused. A caller that names no user is whoever runs this machine: an administrator.
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

/** Everything that determines the principal. No header contains a line break, so the parts cannot be confused. */
function saidIn(headers: IncomingHttpHeaders): string {
  let said = headers.host ?? '';
  for (const name of HEADER_NAMES) said += headers[name] === undefined ? '\n' : `\n:${String(headers[name])}`;
  return said;
}

function principalIn(headers: IncomingHttpHeaders): Principal {
  assertLoopbackHost(headers.host ?? '');
  const named = namedIn(headers);
  return validatePrincipal({ userId: LOCAL_USER, roles: rolesIn(headers, named.userId === undefined), ...named });
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
