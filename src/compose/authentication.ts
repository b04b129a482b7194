/** Authentication as it is configured. */

import { createTokenVerifier, type TokenKeys } from '../identity/token-verifier.ts';
import { LaminaError } from '../domain/error.ts';
import type { Authenticate } from '../server/authenticate.ts';
import { authenticateByCredentials } from '../server/authenticate-by-credentials.ts';
import type { Configuration } from './configuration.ts';
import type { Lamina } from './lamina.ts';
import { systemClock } from './system.ts';

type AuthenticationSettings = Pick<Configuration, 'auth' | 'jwtSecret' | 'jwksUrl' | 'jwtIssuer' | 'jwtAudience'>;

/** Undefined where there is none. */
export function authenticationOf(
  configuration: AuthenticationSettings,
  lamina: Pick<Lamina, 'principalOfKey'>,
): Authenticate | undefined {
  const { auth, jwtIssuer: issuer, jwtAudience: audience } = configuration;
  if (auth === 'none') return undefined;
  return authenticateByCredentials({
    verifyToken: createTokenVerifier({ keys: keysOf(configuration), issuer, audience, clock: systemClock }),
    verifyKey: (key) => lamina.principalOfKey(key),
  });
}

function keysOf({ jwtSecret, jwksUrl }: AuthenticationSettings): TokenKeys {
  if (jwtSecret !== undefined && jwksUrl === undefined) return { secret: jwtSecret };
  if (jwksUrl !== undefined && jwtSecret === undefined) return { jwksUrl };
  throw new LaminaError('CONFIGURATION_ERROR', 'Tokens are verified by LAMINA_JWT_SECRET or LAMINA_JWKS_URL: set one.');
}
