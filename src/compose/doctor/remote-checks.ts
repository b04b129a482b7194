/** Looks at a service from outside, as its callers see it. */

import { isIP } from 'node:net';
import { connect } from 'node:tls';
import { isLoopback } from '../configuration.ts';
import { packageVersion } from '../package-version.ts';
import { ok, problem, warning, type Check, type Finding } from './check.ts';
import { skewFinding } from './database-checks.ts';
import { reasonOf } from './run-checks.ts';

export interface RemoteWorld {
  /** Without a slash at its end. */
  readonly url: string;
  readonly token: string | undefined;
}

const ANSWER_MS = 10_000;

/** A certificate is renewed before that, where somebody looks after it. */
const MIN_DAYS_LEFT = 14;
const DAY_MS = 86_400_000;

export type HealthAnswer =
  | { readonly kind: 'silent'; readonly reason: string; readonly isUntrusted: boolean }
  | { readonly kind: 'foreign' }
  | { readonly kind: 'lamina'; readonly findings: readonly Finding[]; readonly date: string | undefined };

interface Health {
  readonly status: string;
  readonly components: Readonly<Record<string, { readonly status: string; readonly message?: string }>>;
}

/** How the service there is by its own account. Throws nothing. */
export async function healthOf(url: string): Promise<HealthAnswer> {
  try {
    const response = await fetch(`${url}/health`, { signal: AbortSignal.timeout(ANSWER_MS), redirect: 'error' });
    const date = response.headers.get('date') ?? undefined;
    const body = await response.json().catch(() => undefined);
    return isHealth(body) ? { kind: 'lamina', findings: healthFindings(url, body), date } : { kind: 'foreign' };
  } catch (error) {
    return { kind: 'silent', reason: reasonOf(error), isUntrusted: isUntrusted(error) };
  }
}

/** What Node says of a certificate that nobody it trusts has signed. */
const UNTRUSTED: ReadonlySet<unknown> = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);

function isUntrusted(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return UNTRUSTED.has((error as NodeJS.ErrnoException).code) || isUntrusted(error.cause);
}

function untrusted(url: string, reason: string): Finding {
  return problem(
    `The certificate of ${url} is not signed by anybody whom this machine trusts. ${reason}`,
    'Where it is yours, name the certificate or its authority: NODE_EXTRA_CA_CERTS=/path/ca.crt lamina doctor …',
  );
}

function isHealth(body: unknown): body is Health {
  return (
    typeof body === 'object' &&
    body !== null &&
    'status' in body &&
    'components' in body &&
    typeof body.components === 'object'
  );
}

function healthFindings(url: string, { status, components }: Health): Finding[] {
  const amiss = Object.entries(components).filter(([, component]) => component.status !== 'healthy');
  if (status === 'healthy' && amiss.length === 0) return [ok(`The service at ${url} is healthy.`)];
  const fix = 'Run lamina doctor where the service runs, with its configuration.';
  return amiss.map(([name, component]) => {
    const told = `The service is ${component.status} (${name}). ${component.message ?? ''}`.trim();
    return component.status === 'unhealthy' ? problem(told, fix) : warning(told, fix);
  });
}

const health: Check<RemoteWorld> = {
  name: 'health',
  group: 'Services',
  looksAt: 'With --url: whether the service answers, and how it is by its own account',
  async run({ url }) {
    const answer = await healthOf(url);
    if (answer.kind === 'lamina') return answer.findings;
    if (answer.kind === 'foreign') {
      return [
        problem(`What answers at ${url} is no Lamina.`, 'Correct --url; keep a path before /v1 that a proxy adds.'),
      ];
    }
    if (answer.isUntrusted) return [untrusted(url, answer.reason)];
    return [problem(`There is no answer at ${url}. ${answer.reason}`, 'Start the service, or correct --url.')];
  },
};

const version: Check<RemoteWorld> = {
  name: 'version',
  group: 'Services',
  looksAt: 'With --url: the version of the service against that of this command',
  isFor: isThere,
  run: ({ url }) => versionFindingsOf(url),
};

/** The version of the service there against that of this package. */
export async function versionFindingsOf(url: string): Promise<Finding[]> {
  const response = await fetch(`${url}/openapi.json`, { signal: AbortSignal.timeout(ANSWER_MS) });
  const { info } = (await response.json()) as { readonly info?: { readonly version?: string } };
  const [theirs, own] = [info?.version ?? 'unknown', await packageVersion()];
  if (theirs === own) return [ok(`Both are version ${own}.`)];
  return [
    warning(
      `The service is version ${theirs}, this command ${own}.`,
      `Use the command line of version ${theirs}, or upgrade the service.`,
    ),
  ];
}

const authentication: Check<RemoteWorld> = {
  name: 'authentication',
  group: 'Services',
  looksAt: 'With --url: whether strangers are refused, and the token is accepted',
  isFor: isThere,
  async run({ url, token }) {
    const ask = async (headers: Record<string, string>): Promise<number> => {
      const response = await fetch(`${url}/v1/memory/principal`, { headers, signal: AbortSignal.timeout(ANSWER_MS) });
      await response.body?.cancel();
      return response.status;
    };
    const isOpen = (await ask({})) < 400;
    if (isOpen && !isLoopback(hostOf(url))) {
      const told = 'The service answers anybody, and can be reached from other machines.';
      return [problem(told, 'Set LAMINA_AUTH=jwt and LAMINA_JWT_SECRET or LAMINA_JWKS_URL: docs/authentication.md')];
    }
    if (isOpen) return [ok('There is no authentication, and the address is one of this machine.')];
    if (token === undefined) return [ok('Strangers are refused. With a token (LAMINA_TOKEN) that is tried as well.')];
    const status = await ask({ authorization: `Bearer ${token}` });
    if (status < 400) return [ok('Strangers are refused, and the token is accepted.')];
    return [
      problem(
        `The token is not accepted (${status}).`,
        'Get a new one: lamina keys create, or from who issues tokens.',
      ),
    ];
  },
};

const clockSkew: Check<RemoteWorld> = {
  name: 'clock-skew',
  group: 'Services',
  looksAt: 'With --url: the clock of the service, by the header Date, against that of this machine',
  isFor: isThere,
  async run({ url }) {
    const before = Date.now();
    const answer = await healthOf(url);
    const theirs = answer.kind === 'lamina' && answer.date !== undefined ? Date.parse(answer.date) : NaN;
    if (Number.isNaN(theirs)) return [];
    // The header has whole seconds: on the average half of one is missing.
    return [skewFinding(theirs + 500 - (before + Date.now()) / 2, 'the service')];
  },
};

const tls: Check<RemoteWorld> = {
  name: 'tls',
  group: 'Services',
  looksAt: 'With --url: whether what is sent is encrypted, and how long the certificate holds',
  async run({ url }) {
    const { protocol, port } = new URL(url);
    const host = hostOf(url);
    if (protocol === 'http:') {
      if (isLoopback(host)) return [];
      const told = 'Memories and tokens travel unencrypted.';
      return [problem(told, 'Put a proxy with TLS before the service, and use https://')];
    }
    let validTo: number;
    try {
      validTo = await certificateEnd(host, Number(port || 443));
    } catch (error) {
      if (isUntrusted(error)) return [untrusted(url, reasonOf(error))];
      throw error;
    }
    const days = Math.floor((validTo - Date.now()) / DAY_MS);
    if (days >= MIN_DAYS_LEFT) return [ok(`The certificate holds for ${days} more days.`)];
    return [warning(`The certificate holds for ${days} more days.`, 'Renew it.')];
  },
};

async function isThere({ url }: RemoteWorld): Promise<boolean> {
  return (await healthOf(url)).kind === 'lamina';
}

function hostOf(url: string): string {
  return new URL(url).hostname.replace(/^\[|\]$/g, '');
}

function certificateEnd(host: string, port: number): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  // The name of a server is never an address.
  const name = isIP(host) === 0 ? { servername: host } : {};
  const socket = connect({ host, port, ...name, timeout: ANSWER_MS }, () => {
    resolve(Date.parse(socket.getPeerCertificate().valid_to));
    socket.end();
  });
  socket.on('error', reject);
  socket.on('timeout', () => socket.destroy(new Error('There was no answer.')));
  return promise;
}

export const REMOTE_CHECKS: readonly Check<RemoteWorld>[] = [health, version, authentication, clockSkew, tls];
