/** What the checks of `lamina doctor` look at: the configuration, and what it names, opened when it is first asked for. */

import { existsSync } from 'node:fs';
import { LaminaError } from '../../domain/error.ts';
import { GuardedEmbedder } from '../../embedding/guarded-embedder.ts';
import { MiniLmEmbedder } from '../../embedding/minilm/minilm-embedder.ts';
import type { PostgresCheckup } from '../../engines/postgres/postgres-checkup.ts';
import { SqliteCheckup } from '../../engines/sqlite/sqlite-checkup.ts';
import type { Checkup } from '../../ports/checkup.ts';
import type { Embedder, EmbedderSettings, EmbeddingSpace } from '../../ports/embedder.ts';
import { hostTracing } from '../../telemetry/open-telemetry-tracing.ts';
import type { Configuration } from '../configuration.ts';
import { databaseAddress, type DatabaseAddress } from '../database-address.ts';
import { embedderMaker, embedderOf } from '../embedders.ts';
import { systemClock } from '../system.ts';

export interface World {
  readonly configuration: Configuration;
  /** Whether the database is not the configured one, but one that the caller named. */
  readonly isNamed: boolean;
  readonly isDeep: boolean;
  readonly signal: AbortSignal;
  readonly address: DatabaseAddress;
  /** For commands to paste: names the folder. A server's address may hold a password, and is left to the configuration. */
  readonly databaseFlag: string;
  /** Undefined where there is no data yet. Throws where it cannot be reached. */
  database(): Promise<Checkup | undefined>;
  /** The same, where it is PostgreSQL. */
  postgres(): Promise<PostgresCheckup | undefined>;
  /** The model that is configured; with settings, the one that the database names. */
  embedder(settings?: EmbedderSettings): Embedder;
  /** Why the model runs slower than it could, once it has embedded something. */
  readonly fallbacks: readonly string[];
  /** In which searches compare: that of the database, else that of the configuration. */
  space(): Promise<EmbeddingSpace>;
  close(): Promise<void>;
}

export interface WorldOptions {
  readonly configuration: Configuration;
  readonly isNamed: boolean;
  readonly isDeep: boolean;
  readonly signal: AbortSignal;
}

/** Opens nothing yet. */
export function worldOf({ configuration, isNamed, isDeep, signal }: WorldOptions): World {
  const address = databaseAddress(configuration.databaseUrl);
  if (address === undefined) throw new LaminaError('CONFIGURATION_ERROR', 'The database address is none.');
  const fallbacks: string[] = [];
  const embedders: Embedder[] = [];
  let opening: ReturnType<typeof openCheckup> | undefined;
  const open = (): ReturnType<typeof openCheckup> => (opening ??= openCheckup(address, configuration, isDeep));
  const embedder = (settings?: EmbedderSettings): Embedder => {
    const made = makeEmbedder(configuration, settings, (reason) => fallbacks.push(reason));
    embedders.push(made);
    return made;
  };
  return {
    configuration,
    isNamed,
    isDeep,
    signal,
    address,
    databaseFlag: address.engine === 'postgres' ? '' : ` --database ${quoted(configuration.databaseUrl)}`,
    fallbacks,
    embedder,
    database: async () => (await open())?.checkup,
    postgres: async () => (await open())?.postgres,
    space: async () => (await (await open())?.checkup.spaces())?.active.space ?? (await embedder().space()),
    close: async () => {
      const opened = await opening?.catch(() => undefined);
      await Promise.allSettled([opened?.checkup.close(), ...embedders.map((each) => each.close())]);
    },
  };
}

function quoted(text: string): string {
  return /^[\w:/.,@+=-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

interface OpenCheckup {
  readonly checkup: Checkup;
  readonly postgres?: PostgresCheckup;
}

const TIMEOUT_MS = 30_000;
const DEEP_TIMEOUT_MS = 10 * 60_000;

async function openCheckup(
  address: DatabaseAddress,
  configuration: Configuration,
  isDeep: boolean,
): Promise<OpenCheckup | undefined> {
  if (address.engine === 'sqlite') {
    return existsSync(address.folder) ? { checkup: new SqliteCheckup(address.folder) } : undefined;
  }
  if (address.engine === 'pglite' && !existsSync(address.folder)) return undefined;
  const [{ driverOf }, { PostgresCheckup }] = await Promise.all([
    import('../postgres.ts'),
    import('../../engines/postgres/postgres-checkup.ts'),
  ]);
  const driver = await driverOf(address, { ...configuration, databasePoolSize: 2, databasePrepare: 'off' });
  const statementTimeoutMs = isDeep ? DEEP_TIMEOUT_MS : TIMEOUT_MS;
  const postgres = new PostgresCheckup({ driver, clock: systemClock, statementTimeoutMs });
  return { checkup: postgres, postgres };
}

function makeEmbedder(
  configuration: Configuration,
  settings: EmbedderSettings | undefined,
  fellBack: (reason: string) => void,
): Embedder {
  if ((settings?.provider ?? configuration.embeddings) === 'local') {
    return new GuardedEmbedder(new MiniLmEmbedder({ onFallback: fellBack, maxHosts: 1 }));
  }
  const tracing = hostTracing();
  const made = settings ? embedderMaker(configuration, tracing)(settings) : embedderOf(configuration, tracing);
  if (made !== undefined) return new GuardedEmbedder(made);
  throw new LaminaError(
    'CONFIGURATION_ERROR',
    `The model ${settings?.model ?? ''} of "${settings?.provider ?? ''}" belongs to a program: only that can use it.`,
  );
}
