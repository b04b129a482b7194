/** Whether the configuration makes sense by itself, and what it names is installed. */

import type { LaminaError } from '../../domain/error.ts';
import { isLoopback } from '../configuration.ts';
import type { Problem } from '../configuration-sources.ts';
import { shownAddress } from '../database-address.ts';
import { ok, problem, warning, type Check, type Finding } from './check.ts';
import type { World } from './world.ts';

/** Of an error that the configuration was refused with: each of its problems. */
export function refusedConfiguration(error: LaminaError): Finding[] {
  const { problems = [] } = error.details as { readonly problems?: readonly Problem[] };
  const fix = (at: string): string => `Correct ${at}; docs/configuration.md lists what each setting accepts.`;
  if (problems.length === 0) return [problem(error.message, error.advice)];
  return problems.map(({ at, problem: what }) => problem(`${at} ${what}${/[.?]$/.test(what) ? '' : '.'}`, fix(at)));
}

const configuration: Check<World> = {
  name: 'configuration',
  group: 'Configuration',
  looksAt: 'The file, the environment and the flags: unknown, wrong and conflicting settings',
  run: async ({ configuration: { databaseUrl } }) => [
    ok(`The settings fit together. Database: ${shownAddress(databaseUrl)}`),
  ],
};

const exposure: Check<World> = {
  name: 'exposure',
  group: 'Configuration',
  looksAt: 'Settings that let others in or lose data: authentication, plain connections to the database',
  async run({ configuration: { auth, host, databaseUrl, databaseOwnerUrl, migrate, redisUrl, redisFallback } }) {
    const findings: Finding[] = [];
    if (auth === 'none') {
      findings.push(ok(`There is no authentication, and only this machine reaches the service (${host}).`));
    }
    if (isPlainElsewhere(databaseUrl)) {
      const fix = 'Add ?sslmode=verify-full to LAMINA_DATABASE_URL.';
      findings.push(warning('The connection to the database leaves this machine, and may not be encrypted.', fix));
    }
    if (databaseOwnerUrl !== undefined && migrate === 'off') {
      const fix = 'Unset LAMINA_DATABASE_OWNER_URL where nothing migrates: a service needs no owner.';
      findings.push(warning('The service is given the address of the owner and makes no use of it.', fix));
    }
    if (redisUrl !== undefined && redisFallback === 'none') {
      findings.push(ok('Where Redis is out of reach, working memory is as well (LAMINA_REDIS_FALLBACK=none).'));
    }
    return findings;
  },
};

function isPlainElsewhere(databaseUrl: string): boolean {
  if (!/^postgres(ql)?:\/\//.test(databaseUrl) || !URL.canParse(databaseUrl)) return false;
  const { hostname, searchParams } = new URL(databaseUrl);
  const host = hostname.replace(/^\[|\]$/g, '');
  if (host === '' || searchParams.get('host')?.startsWith('/') || isLoopback(host)) return false;
  return (
    !['require', 'verify-ca', 'verify-full'].includes(searchParams.get('sslmode') ?? '') &&
    searchParams.get('ssl') !== 'true'
  );
}

/** What is needed only where it is configured. */
const PEERS: readonly { readonly of: (world: World) => boolean; readonly packages: readonly string[] }[] = [
  { of: ({ address }) => address.engine === 'postgres', packages: ['pg'] },
  {
    of: ({ address }) => address.engine === 'pglite',
    packages: ['@electric-sql/pglite', '@electric-sql/pglite-pgvector'],
  },
  { of: ({ configuration: { redisUrl } }) => redisUrl !== undefined, packages: ['@redis/client'] },
  { of: ({ configuration: { qdrantUrl } }) => qdrantUrl !== undefined, packages: ['@qdrant/js-client-rest'] },
  {
    of: ({ configuration: { otlpUrl } }) => otlpUrl !== undefined,
    packages: ['@opentelemetry/sdk-trace', '@opentelemetry/exporter-trace-otlp-http'],
  },
];

const packages: Check<World> = {
  name: 'packages',
  group: 'Configuration',
  looksAt: 'Whether the optional packages are installed that the configuration needs',
  async run(world) {
    const needed = PEERS.flatMap(({ of, packages: names }) => (of(world) ? names : []));
    const missing = needed.filter((name) => !isInstalled(name));
    if (missing.length > 0) {
      return [problem(`What is configured needs ${missing.join(' and ')}.`, `npm install ${missing.join(' ')}`)];
    }
    return needed.length === 0 ? [] : [ok(`Installed: ${needed.join(', ')}.`)];
  },
};

function isInstalled(name: string): boolean {
  try {
    import.meta.resolve(name);
    return true;
  } catch {
    return false;
  }
}

export const CONFIGURATION_CHECKS: readonly Check<World>[] = [configuration, exposure, packages];
