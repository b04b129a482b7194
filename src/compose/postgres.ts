/** PostgreSQL as it is configured. Loaded only where it is, because SQLite needs nothing of it. */

import { openPglite } from '../engines/postgres/pglite-driver.ts';
import type { PostgresDriver } from '../engines/postgres/postgres-driver.ts';
import { loginOf, type PostgresLogin } from '../engines/postgres/postgres-login.ts';
import { PostgresEngine, type PostgresEngineOptions } from '../engines/postgres/postgres-engine.ts';
import { assertMigrated, migratePostgres, type MigrationReport } from '../engines/postgres/postgres-migrations.ts';
import { openServer } from '../engines/postgres/server-driver.ts';
import type { Clock } from '../ports/clock.ts';
import type { Engine } from '../ports/engine.ts';
import type { DatabaseAddress } from './database-address.ts';
import type { DatabaseSettings, EngineObservers } from './engines.ts';
import { powerfulLogin } from './powerful-login.ts';
import { SETTINGS } from './settings.ts';

type PostgresAddress = Exclude<DatabaseAddress, { readonly engine: 'sqlite' }>;

export async function openPostgres(
  address: PostgresAddress,
  settings: DatabaseSettings & Pick<PostgresEngineOptions, 'refusesSealed' | 'searchBytes'>,
  clock: Clock,
  { tracing, warned }: EngineObservers = {},
): Promise<Engine> {
  const driver = await driverOf(address, settings);
  try {
    if (settings.migrate === 'off') await assertMigrated(driver);
    else if (settings.databaseOwnerUrl !== undefined) await migrateAsOwner(address, settings, clock);
    else await migratePostgres(driver, { now: clock.now() });
    const statementTimeoutMs = settings.databaseTimeoutMs ?? SETTINGS.databaseTimeoutMs.schema.parse(undefined);
    const traceparent = tracing && (() => (tracing.isOn ? tracing.headers()['traceparent'] : undefined));
    const { refusesSealed, searchBytes } = settings;
    // PGlite has no logins.
    if (warned && address.engine === 'postgres') warnOfLogin(await loginOf(driver), warned);
    return await PostgresEngine.open({ driver, clock, statementTimeoutMs, traceparent, refusesSealed, searchBytes });
  } catch (error) {
    await driver.close();
    throw error;
  }
}

function warnOfLogin(login: PostgresLogin, warned: (message: string) => void): void {
  const power = powerfulLogin(login);
  if (power) warned(`${power.told} ${power.fix}`);
}

/** By the address of the owner where there is one. */
export async function migrateAsOwner(
  address: PostgresAddress,
  settings: DatabaseSettings,
  clock: Clock,
): Promise<MigrationReport> {
  const { databaseOwnerUrl: url } = settings;
  const driver = await driverOf(url === undefined ? address : { engine: 'postgres', url }, settings);
  try {
    return await migratePostgres(driver, { now: clock.now() });
  } finally {
    await driver.close();
  }
}

export async function driverOf(address: PostgresAddress, settings: DatabaseSettings): Promise<PostgresDriver> {
  if (address.engine === 'pglite') return openPglite(address.folder);
  return openServer({
    url: address.url,
    directUrl: settings.databaseDirectUrl,
    poolSize: settings.databasePoolSize ?? SETTINGS.databasePoolSize.schema.parse(undefined),
    preparesStatements: settings.databasePrepare !== 'off',
  });
}
