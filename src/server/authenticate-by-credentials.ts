/** The caller, if authentication is configured: the principal of a token or an API key, narrowed by the headers. */

import type { IncomingHttpHeaders } from 'node:http';
import type { Principal } from '../domain/principal.ts';
import { unauthorized } from '../domain/unauthorized.ts';
import { actingPrincipal } from './acting-principal.ts';
import type { Authenticate } from './authenticate.ts';

export interface CredentialVerifiers {
  /** Throws `UNAUTHORIZED`, or `UNAVAILABLE` if it cannot be checked. */
  readonly verifyToken: (token: string) => Promise<Principal>;
  /** Null for a key that is malformed, unknown, expired or revoked. */
  readonly verifyKey: (key: string) => Promise<Principal | null>;
}

const BEARER = /^Bearer +(\S+) *$/i;
const KEY = /^lam_/;

/**
 * `Authorization: Bearer …` with a token or a key, else `X-API-Key`. For headers that name a principal, see {@link
 * actingPrincipal}.
 */
export function authenticateByCredentials({ verifyToken, verifyKey }: CredentialVerifiers): Authenticate {
  return async (headers) => {
    const credential = credentialOf(headers);
    if (!KEY.test(credential)) return actingPrincipal(await verifyToken(credential), headers, 'token');
    const principal = await verifyKey(credential);
    if (principal === null) throw unauthorized('the API key is unknown, expired or revoked');
    return actingPrincipal(principal, headers, 'API key');
  };
}

function credentialOf(headers: IncomingHttpHeaders): string {
  const { authorization, 'x-api-key': apiKey } = headers;
  if (authorization !== undefined) {
    const [, credential] = BEARER.exec(authorization) ?? [];
    if (credential === undefined) throw unauthorized('the Authorization header is not "Bearer" and a credential');
    return credential;
  }
  if (typeof apiKey !== 'string') throw unauthorized('there is no credential');
  if (!KEY.test(apiKey)) throw unauthorized('X-API-Key holds no API key');
  return apiKey;
}
