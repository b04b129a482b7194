/** Who is asking, where authentication is configured: what a token or an API key says, and nothing else. */

import type { IncomingHttpHeaders } from 'node:http';
import type { Principal } from '../domain/principal.ts';
import { unauthorized } from '../domain/unauthorized.ts';
import type { Authenticate } from './authenticate.ts';

export interface CredentialVerifiers {
  /** Throws `UNAUTHORIZED`, or `UNAVAILABLE` when it cannot be told. */
  readonly verifyToken: (token: string) => Promise<Principal>;
  /** Null for a key that is none, or unknown, expired or revoked. */
  readonly verifyKey: (key: string) => Promise<Principal | null>;
}

const BEARER = /^Bearer +(\S+) *$/i;
const KEY = /^lam_/;

/** `Authorization: Bearer …` with a token or a key, else `X-API-Key`. Headers that name a tenant or a user are ignored. */
export function authenticateByCredentials({ verifyToken, verifyKey }: CredentialVerifiers): Authenticate {
  return async (headers) => {
    const credential = credentialOf(headers);
    if (!KEY.test(credential)) return verifyToken(credential);
    const principal = await verifyKey(credential);
    if (principal === null) throw unauthorized('the API key is unknown, expired or revoked');
    return principal;
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
