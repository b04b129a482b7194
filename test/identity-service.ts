/** A service with authentication over a real memory, and tokens to call it with. */

import { SignJWT } from 'jose';
import { authenticationOf } from '../src/compose/authentication.ts';
import type { Lamina } from '../src/compose/lamina.ts';
import type { LaminaOptions } from '../src/compose/lamina-options.ts';
import type { Authenticate } from '../src/server/authenticate.ts';
import type { ServerDependencies } from '../src/server/dependencies.ts';
import { caller, type Answer } from './http-caller.ts';
import { openLamina, serveLamina, untilTestEnds } from './running-lamina.ts';

export const SECRET = 'a secret of which nobody knows anything';
export const TENANT = '7d1c2b9e-0f43-4b0e-9a53-1f2e3d4c5b6a';
export const OTHER_TENANT = '7d1c2b9e-0f43-4b0e-9a53-1f2e3d4c5b6b';

export interface IdentityService {
  readonly url: string;
  readonly folder: string;
  readonly lamina: Lamina;
  readonly logLines: string[];
  /** With a credential as `Authorization: Bearer`, where one is given. */
  call(method: string, path: string, credential?: string, rest?: CallOptions): Promise<Answer>;
}

interface CallOptions {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

type Settings = Partial<Parameters<typeof authenticationOf>[0]>;

interface ServiceOptions extends Pick<LaminaOptions, 'clock'>, Pick<ServerDependencies, 'limits'> {
  readonly settings?: Settings;
  readonly authenticate?: (lamina: Lamina) => Authenticate;
}

/** Closed when the test ends. Verifies by {@link SECRET} unless told otherwise. */
export async function startIdentityService(options: ServiceOptions = {}): Promise<IdentityService> {
  const { clock } = options;
  const { lamina, folder } = untilTestEnds(await openLamina({ ...(clock && { clock }) }));
  const defaults = { jwtSecret: SECRET, jwksUrl: undefined, jwtIssuer: undefined, jwtAudience: undefined };
  const configured = authenticationOf({ auth: 'jwt', ...defaults, ...options.settings }, lamina);
  const authenticate = options.authenticate?.(lamina) ?? configured;
  const logLines: string[] = [];
  const dependencies = {
    logger: { level: 'trace', stream: { write: (line: string) => void logLines.push(line) } },
    ...(authenticate && { authenticate }),
    limits: options.limits,
  };
  const { url } = untilTestEnds(await serveLamina(lamina, dependencies));
  const call = caller(url);
  return {
    url,
    folder,
    lamina,
    logLines,
    call: (method, path, credential, { body, headers } = {}) =>
      call(method, path, body, {
        ...(credential !== undefined && { Authorization: `Bearer ${credential}` }),
        ...headers,
      }),
  };
}

interface TokenOptions {
  readonly secret?: string;
  readonly algorithm?: string;
}

/** A token of this tenant for `alice`, unless the claims say otherwise; a claim that is undefined is left out. */
export function token(claims: Record<string, unknown> = {}, options: TokenOptions = {}): Promise<string> {
  const now = Math.floor(Date.now() / 1000);
  const all = { tenant_id: TENANT, user_id: 'alice', iat: now, exp: now + 600, ...claims };
  const { secret = SECRET, algorithm = 'HS256' } = options;
  return new SignJWT(all).setProtectedHeader({ alg: algorithm }).sign(new TextEncoder().encode(secret));
}

export function adminToken(claims: Record<string, unknown> = {}, options: TokenOptions = {}): Promise<string> {
  return token({ user_id: 'root', roles: ['admin'], ...claims }, options);
}
