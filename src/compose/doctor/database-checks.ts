/** Whether the database answers, and is sound: schema, integrity, indexes, keys, clock, leader. */

import { asLaminaError, ERROR_TABLE } from '../../domain/error.ts';
import type { Checkup } from '../../ports/checkup.ts';
import { shownAddress } from '../database-address.ts';
import { auditFindings } from './audit-chain.ts';
import { ok, problem, warning, type Check, type Finding } from './check.ts';
import { contentFindings } from './contents.ts';
import { driftFindings } from './drift.ts';
import { encryptionFindings } from './encryption.ts';
import { filesBelow } from './folder-look.ts';
import { reasonOf } from './run-checks.ts';
import type { World } from './world.ts';

const SLOW_MS = 250;

const ENGINES = { sqlite: 'SQLite', pglite: 'PGlite', postgres: 'PostgreSQL' } as const;

const database: Check<World> = {
  name: 'database',
  group: 'Database',
  looksAt: 'Whether the database can be reached, and how long it takes to answer',
  async run(world) {
    const { databaseUrl } = world.configuration;
    try {
      const checkup = await world.database();
      if (checkup === undefined) return [];
      const version = await checkup.reach();
      const started = performance.now();
      await checkup.reach();
      const tookMs = Math.round(performance.now() - started);
      const told = `${version} answers in ${tookMs} ms.`;
      if (tookMs < SLOW_MS) return [ok(told)];
      return [warning(`${told} A search asks it at least once.`, 'Run the service near to its database.')];
    } catch (error) {
      const [name, shown] = [ENGINES[world.address.engine], shownAddress(databaseUrl)];
      const fix = 'Start it, or correct LAMINA_DATABASE_URL: host, port, user and password.';
      const { code, advice } = asLaminaError(error);
      const isOwn = advice !== ERROR_TABLE[code].advice;
      return [problem(`${name} at ${shown} cannot be used. ${reasonOf(error)}`, isOwn ? advice : fix)];
    }
  },
};

/** A check of a database that answers; where it does not, one finding says so and that is enough. */
function ofDatabase(
  row: Pick<Check<World>, 'name' | 'looksAt'>,
  look: (checkup: Checkup, world: World) => Promise<readonly Finding[]>,
): Check<World> {
  return {
    ...row,
    group: 'Database',
    isFor: async (world) => (await reached(world)) !== undefined,
    run: async (world) => {
      const checkup = await reached(world);
      return checkup ? look(checkup, world) : [];
    },
  };
}

export async function reached(world: World): Promise<Checkup | undefined> {
  try {
    const checkup = await world.database();
    await checkup?.reach();
    return checkup;
  } catch {
    return undefined;
  }
}

const schema = ofDatabase(
  { name: 'schema', looksAt: 'Whether the schema is up to date, and not that of a newer Lamina' },
  async (checkup, { address }) => {
    const gaps = await checkup.schema();
    if (gaps.length === 0) return [ok('The schema is up to date.')];
    return gaps.map(({ where, missing, problem: what }) => {
      const at = where === undefined ? '' : `${where}: `;
      if (what !== undefined) {
        return problem(`${at}${what}`, 'Upgrade Lamina, or restore a backup that fits: docs/guide/upgrading.md');
      }
      const told = `${at}${missing.length} migrations are missing, from ${missing[0] ?? ''} on.`;
      // Files are brought up to date when they are next opened.
      return address.engine === 'sqlite'
        ? warning(told, 'Start the service, or run any command on it: the file is brought up to date as it is opened.')
        : problem(told, 'lamina migrate');
    });
  },
);

const integrity = ofDatabase(
  { name: 'integrity', looksAt: 'Whether files and indexes are damaged; with --deep everything is read' },
  async (checkup, { isDeep, signal, address }) => {
    const damages = await checkup.damage(isDeep, signal);
    if (damages.length === 0) return [ok(isDeep ? 'Nothing is damaged; everything was read.' : 'Nothing is damaged.')];
    const fix =
      address.engine === 'sqlite'
        ? 'Stop what runs, keep a copy of the folder, and restore the file from a backup: docs/guide/backup.md'
        : 'REINDEX what is named, or restore a backup: docs/guide/backup.md';
    return damages.map(({ where, what }) => problem(`${where}: ${what.split('\n').join(' ')}`, fix));
  },
);

const contents = ofDatabase(
  { name: 'contents', looksAt: 'With --deep: whether every memory still fits the hash that it was stored with' },
  async (checkup, world) => (world.isDeep ? contentFindings(checkup, world) : []),
);

const indexDrift = ofDatabase(
  {
    name: 'index-drift',
    looksAt: 'Memories without a vector or words, and vectors and words without a memory, for each tenant',
  },
  driftFindings,
);

const audit = ofDatabase(
  { name: 'audit-chain', looksAt: 'Whether every entry of the audit log is as it was written, and none is missing' },
  (checkup, { signal }) => auditFindings(checkup, signal),
);

const encryption = ofDatabase(
  { name: 'encryption', looksAt: 'Whether the master key opens the keys of every tenant, and whether all is sealed' },
  encryptionFindings,
);

const keys = ofDatabase(
  { name: 'keys', looksAt: 'API keys that have expired and were not revoked' },
  async (checkup, { databaseFlag }) => {
    const now = Date.now();
    let expired = 0;
    for (const tenantId of await checkup.tenants()) expired += await checkup.expiredKeys(tenantId, now);
    if (expired === 0) return [];
    const fix = `See which: lamina keys list${databaseFlag}; then revoke them, and make new ones for who still needs them.`;
    return [warning(`${expired} API ${expired === 1 ? 'key has' : 'keys have'} expired.`, fix)];
  },
);

const DAYS_OF_RUNS = 7;

const maintenance = ofDatabase(
  { name: 'maintenance', looksAt: `Runs of maintenance jobs that failed in the last ${DAYS_OF_RUNS} days` },
  async (checkup, { databaseFlag }) => {
    const since = Date.now() - DAYS_OF_RUNS * 86_400_000;
    const findings: Finding[] = [];
    for (const tenantId of await checkup.tenants()) {
      const failed = await checkup.failedRuns(tenantId, since);
      if (failed === 0) continue;
      const told = `${failed} ${failed === 1 ? 'run' : 'runs'} of maintenance failed for tenant ${tenantId} in ${DAYS_OF_RUNS} days.`;
      findings.push(warning(told, `See why: lamina maintain runs --tenant ${tenantId}${databaseFlag}`));
    }
    return findings;
  },
);

const MAX_SKEW_MS = 2000;
const MAX_SAFE_SKEW_MS = 60_000;

export function skewFinding(skewMs: number, whose: string): Finding {
  const seconds = (Math.abs(skewMs) / 1000).toFixed(1);
  const told = `The clock of ${whose} is ${seconds} s ${skewMs > 0 ? 'ahead of' : 'behind'} that of this machine.`;
  const fix = 'Let both follow a time server (chrony, systemd-timesyncd).';
  if (Math.abs(skewMs) > MAX_SAFE_SKEW_MS) return problem(`${told} What expires does so at the wrong time.`, fix);
  return Math.abs(skewMs) > MAX_SKEW_MS ? warning(told, fix) : ok(`The clocks of ${whose} and of this machine agree.`);
}

/** What was written in the future was written before the clock was put back. */
function aheadFindings(folder: string, now: number): Finding[] {
  const newest = Math.max(0, ...filesBelow(folder).map(({ writtenAt }) => writtenAt));
  if (newest < now + MAX_SAFE_SKEW_MS) return [ok('Nothing was written in the future.')];
  const told = `The data was last written at ${new Date(newest).toISOString()}, which is yet to come: the clock was put back.`;
  return [warning(`${told} Newer memories may count as older.`, 'Set the clock, and let it follow a time server.')];
}

const clock = ofDatabase(
  {
    name: 'clock',
    looksAt: 'The clock of this machine against that of the database, or against the times of its files',
  },
  async (checkup, { address }) => {
    const before = Date.now();
    const theirs = await checkup.now();
    if (theirs !== undefined) return [skewFinding(theirs - (before + Date.now()) / 2, 'the database')];
    return address.engine === 'sqlite' ? aheadFindings(address.folder, before) : [];
  },
);

const leader = ofDatabase(
  { name: 'leader', looksAt: 'Whether a service leads, which removes what has expired and runs maintenance' },
  async (checkup) => {
    if (await checkup.isLed()) return [ok('A service leads: what has expired is removed.')];
    if ((await checkup.tenants()).length === 0) return [];
    return [ok('No service runs on this database: nothing is removed in the background until one does.')];
  },
);

export const DATABASE_CHECKS: readonly Check<World>[] = [
  database,
  schema,
  integrity,
  contents,
  indexDrift,
  audit,
  encryption,
  keys,
  maintenance,
  clock,
  leader,
];
