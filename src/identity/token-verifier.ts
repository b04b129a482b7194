/** JSON Web Tokens: verifies that one is genuine and meant for this service, and returns its principal. */

import { createRemoteJWKSet, errors, jwtVerify, type JWTPayload, type JWTVerifyGetKey } from 'jose';
import { LaminaError } from '../domain/error.ts';
import type { Principal } from '../domain/principal.ts';
import { unauthorized } from '../domain/unauthorized.ts';
import type { Clock } from '../ports/clock.ts';
import { principalOf } from './token-claims.ts';

/** One of the two: a shared secret, or the URL of the issuer's public keys. */
export type TokenKeys = { readonly secret: string } | { readonly jwksUrl: string; readonly cooldownMs?: number };

export interface TokenVerifierOptions {
  readonly keys: TokenKeys;
  /** If given, a token must name it in `iss`. */
  readonly issuer?: string | undefined;
  /** If given, a token must name it in `aud`. */
  readonly audience?: string | undefined;
  readonly clock: Clock;
}

/** How far the clocks of the issuer and of this machine may be apart. */
const CLOCK_TOLERANCE_SECONDS = 5;

/** Far longer than tokens are; longer ones are refused unread. */
const MAX_TOKEN_LENGTH = 8192;

/** A token without an expiry would be valid forever, in anyone's hands. */
const REQUIRED_CLAIMS = ['exp'];

/** Unknown keys are fetched again, but not more often than this: anybody can send such a token. */
const JWKS_COOLDOWN_MS = 10_000;
const JWKS_TIMEOUT_MS = 5000;

/** Pinned by the type of key, so that a public key can never be used as a shared secret. */
const SECRET_ALGORITHMS = ['HS256'];
const PUBLIC_ALGORITHMS = ['RS256', 'ES256', 'EdDSA'];

export type VerifyToken = (token: string) => Promise<Principal>;

/**
 * The principal of a token. Throws `UNAUTHORIZED`, whose message is always the same and whose cause tells the operator why;
 * `UNAVAILABLE` if the public keys cannot be fetched.
 */
export function createTokenVerifier({ keys, issuer, audience, clock }: TokenVerifierOptions): VerifyToken {
  const getKey = 'secret' in keys ? secretKey(keys.secret) : publicKeys(keys.jwksUrl, keys.cooldownMs);
  const algorithms = 'secret' in keys ? SECRET_ALGORITHMS : PUBLIC_ALGORITHMS;
  return async (token) => {
    if (token.length > MAX_TOKEN_LENGTH) throw unauthorized('the token is too long');
    const claims = await verified(token, getKey, {
      algorithms,
      clockTolerance: CLOCK_TOLERANCE_SECONDS,
      requiredClaims: REQUIRED_CLAIMS,
      currentDate: new Date(clock.now()),
      ...(issuer !== undefined && { issuer }),
      ...(audience !== undefined && { audience }),
    });
    return principalOf(claims);
  };
}

type GetKey = JWTVerifyGetKey;
type Options = NonNullable<Parameters<typeof jwtVerify>[2]>;

async function verified(token: string, getKey: GetKey, options: Options): Promise<JWTPayload> {
  try {
    return (await jwtVerify(token, getKey, options)).payload;
  } catch (error) {
    if (error instanceof errors.JWKSMultipleMatchingKeys) return anyVerified(token, error, options);
    throw refusal(error);
  }
}

/** A token that does not say which key signed it is tried with each that could have. */
async function anyVerified(
  token: string,
  candidates: errors.JWKSMultipleMatchingKeys,
  options: Options,
): Promise<JWTPayload> {
  for await (const key of candidates) {
    try {
      return (await jwtVerify(token, key, options)).payload;
    } catch (error) {
      if (!(error instanceof errors.JWSSignatureVerificationFailed)) throw refusal(error);
    }
  }
  throw unauthorized('ERR_JWS_SIGNATURE_VERIFICATION_FAILED');
}

function secretKey(secret: string): GetKey {
  const bytes = new TextEncoder().encode(secret);
  return async () => bytes;
}

function publicKeys(url: string, cooldownMs = JWKS_COOLDOWN_MS): GetKey {
  const keySet = createRemoteJWKSet(new URL(url), { cooldownDuration: cooldownMs, timeoutDuration: JWKS_TIMEOUT_MS });
  return async (header, token) => {
    try {
      return await keySet(header, token);
    } catch (error) {
      const isKnownByNow =
        error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWKSMultipleMatchingKeys;
      if (isKnownByNow) throw error;
      throw new LaminaError('UNAVAILABLE', 'The keys by which tokens are verified cannot be had at the moment.', {
        cause: error,
      });
    }
  };
}

/** Says why by code only: what a library puts into its messages and errors may be the token itself. */
function refusal(error: unknown): LaminaError {
  if (error instanceof LaminaError) return error;
  if (!(error instanceof errors.JOSEError)) return unauthorized('the token cannot be read');
  const claim = 'claim' in error && typeof error.claim === 'string' ? ` (${error.claim})` : '';
  return unauthorized(`${error.code}${claim}`);
}
