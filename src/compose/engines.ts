/** The engines by the addresses under which they are configured. */

import { LaminaError } from '../domain/error.ts';
import type { MigrationReport } from '../engines/postgres/postgres-migrations.ts';
import { SqliteEngine } from '../engines/sqlite/sqlite-engine.ts';
import type { CommitObserver } from '../engines/sqlite/sqlite-group-commit.ts';
import type { Clock } from '../ports/clock.ts';
import type { Engine } from '../ports/engine.ts';
import type { MasterKey } from '../ports/master-key.ts';
import type { Telemetry, Tracing } from '../ports/telemetry.ts';
import type { Configuration } from './configuration.ts';
import { DATABASE_ADDRESSES, databaseAddress, type DatabaseAddress } from './database-address.ts';
import { assertNodeVersion } from './node-version.ts';
import { assertSealedBy, masterKeyOf, sealedWith } from './sealing.ts';
import { searchMemoryBytes } from './search-memory.ts';
import { systemClock } from './system.ts';

/** Only the address is needed; the rest is about a PostgreSQL server, encryption and memory. */
export type DatabaseSettings = Pick<Configuration, 'databaseUrl'> & {
  /** Instead of a file with one. */
  readonly masterKey?: MasterKey | undefined;
} & Partial<
    Pick<
      Configuration,
      | 'masterKeyFile'
      | 'databaseOwnerUrl'
      | 'databaseDirectUrl'
      | 'databasePoolSize'
      | 'databaseTimeoutMs'
      | 'databasePrepare'
      | 'migrate'
      | 'searchMemoryMib'
    >
  >;

/** Observers of an engine. */
export interface EngineObservers {
  readonly telemetry?: Pick<Telemetry, 'commitEnded'> | undefined;
  readonly tracing?: Pick<Tracing, 'headers' | 'isOn'> | undefined;
  /** Warnings about safety, when it is opened. A sentence or two, without secrets. */
  readonly warned?: ((message: string) => void) | undefined;
}

/** With the schema up to date. Throws `CONFIGURATION_ERROR`, and `UNAVAILABLE` when the database cannot be reached. */
export async function openEngine(
  settings: DatabaseSettings,
  clock: Clock = systemClock,
  observers: EngineObservers = {},
): Promise<Engine> {
  assertNodeVersion();
  const address = addressOf(settings);
  assertOneDatabase(address, settings);
  const master = masterKeyOf(settings);
  const refusesSealed = master === undefined;
  const searchBytes = searchMemoryBytes(settings.searchMemoryMib);
  if (address.engine === 'sqlite') {
    const committed: CommitObserver = (record) => observers.telemetry?.commitEnded?.(record);
    const engine = new SqliteEngine({ folder: address.folder, clock, committed, refusesSealed, searchBytes });
    return opened(engine, master, clock);
  }
  const { openPostgres } = await import('./postgres.ts');
  return opened(
    await openPostgres(address, { ...settings, refusesSealed, searchBytes }, clock, observers),
    master,
    clock,
  );
}

async function opened(engine: Engine, master: MasterKey | undefined, clock: Clock): Promise<Engine> {
  try {
    await assertSealedBy(engine, master);
  } catch (error) {
    await engine.close();
    throw error;
  }
  return sealedWith(engine, master, clock);
}

/**
 * By the owner's address where there is one, which then is all that is needed. Undefined for an engine that needs no such
 * step: SQLite's files are brought up to date when they are opened.
 */
export async function migrateDatabase(
  settings: DatabaseSettings,
  clock: Clock = systemClock,
): Promise<MigrationReport | undefined> {
  const address = addressOf({ databaseUrl: settings.databaseOwnerUrl ?? settings.databaseUrl });
  if (address.engine === 'sqlite') return undefined;
  const { migrateAsOwner } = await import('./postgres.ts');
  return migrateAsOwner(address, settings, clock);
}

function addressOf({ databaseUrl }: DatabaseSettings): DatabaseAddress {
  const address = databaseAddress(databaseUrl);
  if (address !== undefined) return address;
  throw new LaminaError(
    'CONFIGURATION_ERROR',
    `The database address is none that Lamina knows: ${DATABASE_ADDRESSES}.`,
  );
}

/** Whoever names a second way to a PostgreSQL server means to use one. */
function assertOneDatabase({ engine }: DatabaseAddress, settings: DatabaseSettings): void {
  const { databaseOwnerUrl, databaseDirectUrl } = settings;
  if (engine === 'postgres' || (databaseOwnerUrl ?? databaseDirectUrl) === undefined) return;
  const name = databaseOwnerUrl === undefined ? 'LAMINA_DATABASE_DIRECT_URL' : 'LAMINA_DATABASE_OWNER_URL';
  throw new LaminaError(
    'CONFIGURATION_ERROR',
    `${name} is set, but LAMINA_DATABASE_URL names no PostgreSQL server. Set it as well, or unset the other.`,
  );
}
