/** Whether a PostgreSQL server is of a fit version, keeps tenants apart, and keeps what it acknowledged. */

import type { PostgresCheckup, PostgresGuard, PostgresServer } from '../../engines/postgres/postgres-checkup.ts';
import { SERVICE_ROLE } from '../../engines/postgres/postgres-database.ts';
import type { PostgresLogin } from '../../engines/postgres/postgres-login.ts';
import { shownAddress } from '../database-address.ts';
import { powerfulLogin } from '../powerful-login.ts';
import { ok, problem, warning, type Check, type Finding } from './check.ts';
import { reached } from './database-checks.ts';
import { reasonOf } from './run-checks.ts';
import type { World } from './world.ts';

const LEAST_VERSION = 150_000;
/** Before it an index that is built in parallel could be written beyond its memory. */
const SOUND_VECTOR = '0.8.3';
/** Before it there are no iterative scans. */
const LEAST_VECTOR = '0.8.0';

/** Left for superusers, and for those who look after the server. */
const SPARE_CONNECTIONS = 5;
/** Beside its pool a service has one session to lead by and one to listen on. */
const OWN_SESSIONS = 2;

function ofPostgres(
  row: Pick<Check<World>, 'name' | 'looksAt'>,
  look: (checkup: PostgresCheckup, world: World) => Promise<Finding[]>,
): Check<World> {
  return {
    ...row,
    group: 'Database',
    isFor: async (world) => world.address.engine !== 'sqlite' && (await reached(world)) !== undefined,
    run: async (world) => {
      const checkup = await world.postgres();
      return checkup ? look(checkup, world) : [];
    },
  };
}

/** Version by version, as numbers. */
function isOlder(version: string, than: string): boolean {
  const [own, other] = [version, than].map((text) => text.split('.').map(Number));
  const at = [0, 1, 2].find((index) => (own?.[index] ?? 0) !== (other?.[index] ?? 0));
  return at !== undefined && (own?.[at] ?? 0) < (other?.[at] ?? 0);
}

export function versionFindings(
  server: Pick<PostgresServer, 'version' | 'versionNumber' | 'vectorVersion' | 'parallelWorkers'>,
): Finding[] {
  const { version, versionNumber, vectorVersion, parallelWorkers } = server;
  const findings: Finding[] = [];
  if (versionNumber < LEAST_VERSION) {
    findings.push(
      problem(`PostgreSQL ${version} is too old: Lamina needs 15 or newer.`, 'Upgrade the server (pg_upgrade).'),
    );
  }
  const upgrade = `Install pgvector ${SOUND_VECTOR} or newer, then: ALTER EXTENSION vector UPDATE`;
  if (vectorVersion === null) {
    const fix = 'Install pgvector, then as an administrator: CREATE EXTENSION vector';
    return [...findings, problem('The extension "vector" (pgvector) is not there.', fix)];
  }
  if (isOlder(vectorVersion, LEAST_VECTOR)) {
    findings.push(
      warning(`pgvector ${vectorVersion} has no iterative scans: searches with filters find less.`, upgrade),
    );
  } else if (isOlder(vectorVersion, SOUND_VECTOR) && parallelWorkers > 0) {
    const told = `pgvector ${vectorVersion} has a memory error when an index is built in parallel (CVE-2026-3172).`;
    const meanwhile = 'ALTER SYSTEM SET max_parallel_maintenance_workers = 0; SELECT pg_reload_conf()';
    findings.push(warning(told, `${upgrade}. Until then: ${meanwhile}`));
  } else if (isOlder(vectorVersion, SOUND_VECTOR)) {
    findings.push(ok(`pgvector ${vectorVersion}; indexes are not built in parallel, which keeps CVE-2026-3172 away.`));
  }
  return findings.length > 0 ? findings : [ok(`PostgreSQL ${version} with pgvector ${vectorVersion}.`)];
}

export function roleFindings(login: PostgresLogin, guard: PostgresGuard): Finding[] {
  const { role } = login;
  const { serviceRole, unforced } = guard;
  const findings: Finding[] = [];
  const power = powerfulLogin(login);
  if (power) findings.push(warning(power.told, power.fix));
  if (serviceRole?.mayBypass) {
    const told = `The role ${SERVICE_ROLE} could get around row-level security, and the service does not start.`;
    const fix = `ALTER ROLE ${SERVICE_ROLE} NOSUPERUSER NOBYPASSRLS; let it own nothing and be a member of no owner.`;
    findings.push(problem(told, fix));
  }
  if (serviceRole && !serviceRole.isMember) {
    findings.push(problem(`"${role}" may not take on the role ${SERVICE_ROLE}.`, `GRANT ${SERVICE_ROLE} TO "${role}"`));
  }
  if (unforced.length > 0) {
    const fix = unforced.map(
      (name) => `ALTER TABLE lamina.${name} ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY`,
    );
    findings.push(
      problem(
        `Row-level security is off for ${unforced.join(', ')}: tenants are not kept apart there.`,
        fix.join('; '),
      ),
    );
  }
  return findings.length > 0 ? findings : [ok('Row-level security is forced on every table.')];
}

export function settingFindings(server: PostgresServer, poolSize: number): Finding[] {
  const { isFlushed, writesFullPages, synchronousCommit, maxConnections } = server;
  const findings: Finding[] = [];
  const change = (setting: string): string => `ALTER SYSTEM SET ${setting} = on; SELECT pg_reload_conf()`;
  if (!isFlushed) findings.push(problem('fsync is off: a loss of power can destroy the database.', change('fsync')));
  if (!writesFullPages) {
    findings.push(
      problem('full_page_writes is off: a loss of power can destroy the database.', change('full_page_writes')),
    );
  }
  if (synchronousCommit === 'off') {
    const told = 'synchronous_commit is off: a loss of power loses memories that were acknowledged.';
    findings.push(problem(told, change('synchronous_commit')));
  }
  const wanted = poolSize + OWN_SESSIONS;
  if (wanted + SPARE_CONNECTIONS > maxConnections) {
    const told = `One service may open ${wanted} connections, and the server allows ${maxConnections} in all.`;
    findings.push(warning(told, 'Lower LAMINA_DATABASE_POOL_SIZE, or raise max_connections and restart the server.'));
  }
  return findings.length > 0
    ? findings
    : [ok(`What is acknowledged is on the disk; ${wanted} of ${maxConnections} connections are enough for a service.`)];
}

/** PGlite is for trying out: there is one role, and nothing is flushed by settings. */
function isServer({ address }: World): boolean {
  return address.engine === 'postgres';
}

const versions = ofPostgres(
  { name: 'postgres-versions', looksAt: 'The versions of PostgreSQL and pgvector' },
  async (checkup) => versionFindings(await checkup.server()),
);

const roles = ofPostgres(
  {
    name: 'postgres-roles',
    looksAt: 'Whether row-level security is forced, and binds whoever the service connects as',
  },
  async (checkup, world) => {
    const [server, guard] = [await checkup.server(), await checkup.guard()];
    return roleFindings(isServer(world) ? server : { ...server, isSuperuser: false, mayBypass: false }, guard);
  },
);

const settings = ofPostgres(
  { name: 'postgres-settings', looksAt: 'Settings of the server: what survives a loss of power, how many may connect' },
  async (checkup, world) =>
    isServer(world) ? settingFindings(await checkup.server(), world.configuration.databasePoolSize) : [],
);

const sessions = ofPostgres(
  { name: 'postgres-sessions', looksAt: 'Whether a pooler stands between, and sessions go around it (PgBouncer)' },
  async (checkup, world) => (isServer(world) ? sessionFindings(checkup, world.configuration.databaseDirectUrl) : []),
);

async function sessionFindings(checkup: PostgresCheckup, directUrl: string | undefined): Promise<Finding[]> {
  if (directUrl === undefined) {
    if (!(await checkup.isPooled())) return [];
    const told =
      'A transaction pooler stands before the database: who leads, and news of changes, need sessions of their own.';
    return [
      problem(
        told,
        'Set LAMINA_DATABASE_DIRECT_URL to an address that goes around the pooler; with a PgBouncer before 1.21 also LAMINA_DATABASE_PREPARE=off',
      ),
    ];
  }
  try {
    await checkup.reachDirectly();
    return [ok('Sessions go around the pooler (LAMINA_DATABASE_DIRECT_URL).')];
  } catch (error) {
    const told = `The database cannot be reached at ${shownAddress(directUrl)}. ${reasonOf(error)}`;
    return [problem(told, 'Correct LAMINA_DATABASE_DIRECT_URL.')];
  }
}

export const POSTGRES_CHECKS: readonly Check<World>[] = [versions, roles, settings, sessions];
