/** A PostgreSQL server, by the driver `pg`: a pool of connections that pipeline their statements. */

import type { Client, ClientConfig, CustomTypesConfig, Pool, PoolClient, QueryResultRow } from 'pg';
import { LaminaError } from '../../domain/error.ts';
import type {
  Parameter,
  PoolLoad,
  PostgresConnection,
  PostgresDriver,
  PostgresResult,
  Subscription,
} from './postgres-driver.ts';
import { codeOf } from './postgres-error.ts';
import type { Statement } from './postgres-statement.ts';
import { messagesBy, type SendMessage } from './server-message.ts';
import { StatementNames } from './server-statement-names.ts';

export interface ServerDriverOptions {
  readonly url: string;
  /** Where a transaction pooler cannot be used: listening and locks of a session. Default: `url`. */
  readonly directUrl?: string | undefined;
  /** Connections at most. */
  readonly poolSize: number;
  /** Off for a transaction pooler that does not know them. */
  readonly preparesStatements: boolean;
}

const CONNECT_TIMEOUT_MS = 10_000;
const IDLE_TIMEOUT_MS = 30_000;

/** How long to wait before listening is tried again. */
const RELISTEN_PAUSE_MS = 500;

/**
 * A dedicated session in which nothing was asked for this long is ended by the server: should its holder have vanished
 * without a word, what it held is free again, which the system would take hours to notice.
 */
const MAX_SILENCE_MS = 15_000;

const INT8 = 20;
const NUMERIC = 1700;

/** Throws `CONFIGURATION_ERROR` when the driver is not installed. Connects to nothing yet. */
export async function openServer(options: ServerDriverOptions): Promise<PostgresDriver> {
  const { default: pg } = await import('pg').catch((cause: unknown) => {
    throw new LaminaError('CONFIGURATION_ERROR', 'A PostgreSQL database needs the package "pg": npm install pg', {
      cause,
    });
  });
  const types: CustomTypesConfig = {
    getTypeParser: ((oid: number, format?: 'text') =>
      oid === INT8 || oid === NUMERIC
        ? Number
        : pg.types.getTypeParser(oid, format)) as CustomTypesConfig['getTypeParser'],
  };
  const shared: ClientConfig = {
    types,
    pipeline: true,
    keepAlive: true,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    application_name: 'lamina',
  };
  const pool = new pg.Pool({
    ...shared,
    connectionString: options.url,
    max: options.poolSize,
    idleTimeoutMillis: IDLE_TIMEOUT_MS,
  });
  // An idle connection that breaks is replaced when it is next needed. Without a listener of its own the error of one that
  // is in use would end the process; whoever waits for a statement is told.
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  const direct = (): Client => new pg.Client({ ...shared, connectionString: options.directUrl ?? options.url });
  const inMessages = new StatementNames('lamina_m', options.preparesStatements);
  const sending = {
    names: new StatementNames('lamina_', options.preparesStatements),
    send: messagesBy(pg.Query, (sql) => inMessages.of(sql)),
  };
  return new ServerDriver(pool, direct, sending);
}

/** How statements are sent: as what they are prepared, one by one, and several in a message. */
interface Sending {
  readonly names: StatementNames;
  readonly send: SendMessage;
}

class ServerDriver implements PostgresDriver {
  readonly #pool: Pool;
  readonly #direct: () => Client;
  readonly #sending: Sending;
  readonly #open = new Set<{ close(): Promise<void> }>();

  constructor(pool: Pool, direct: () => Client, sending: Sending) {
    this.#pool = pool;
    this.#direct = direct;
    this.#sending = sending;
  }

  load(): PoolLoad {
    const { totalCount, idleCount, waitingCount } = this.#pool;
    return { used: totalCount - idleCount, idle: idleCount, waiting: waitingCount };
  }

  async reserve(): Promise<PostgresConnection> {
    const client = await connected(() => this.#pool.connect());
    return new ServerConnection(client, this.#sending, (spoiled) => client.release(spoiled));
  }

  async dedicate(lost: () => void): Promise<PostgresConnection> {
    const client = this.#direct();
    let isOver = false;
    const end = (): void => {
      if (!isOver) lost();
      isOver = true;
    };
    client.on('error', end);
    client.on('end', end);
    const subscription = { close: () => client.end().catch(() => {}) };
    try {
      await connected(() => client.connect());
      await connected(() => client.query(`SET idle_session_timeout = ${MAX_SILENCE_MS}`));
    } catch (error) {
      isOver = true;
      void subscription.close();
      throw error;
    }
    this.#open.add(subscription);
    return new ServerConnection(client, this.#sending, () => {
      isOver = true;
      this.#open.delete(subscription);
      void subscription.close();
    });
  }

  /** Listens again, from a new connection, whenever the old one is lost, until it is closed. */
  async listen(channel: string, heard: (payload: string) => void, ready: () => void): Promise<Subscription> {
    let isClosed = false;
    let isLive = false;
    let client: Client | undefined;
    let timer: NodeJS.Timeout | undefined;
    const begin = async (): Promise<void> => {
      const mine = this.#direct();
      client = mine;
      let isLost = false;
      const again = (): void => {
        if (isLost || isClosed) return;
        isLost = true;
        isLive = false;
        mine.end().catch(() => {});
        timer = setTimeout(() => void begin(), RELISTEN_PAUSE_MS);
      };
      mine.on('error', again);
      mine.on('end', again);
      mine.on('notification', ({ payload = '' }) => heard(payload));
      try {
        await mine.connect();
        await mine.query(`LISTEN ${channel}`);
        isLive = true;
        ready();
      } catch {
        again();
      }
    };
    const subscription: Subscription = {
      get isLive() {
        return isLive;
      },
      close: async () => {
        isClosed = true;
        clearTimeout(timer);
        this.#open.delete(subscription);
        await client?.end().catch(() => {});
      },
    };
    this.#open.add(subscription);
    await begin();
    return subscription;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#open].map((subscription) => subscription.close()));
    await this.#pool.end();
  }
}

class ServerConnection implements PostgresConnection {
  readonly #client: Client | PoolClient;
  readonly #sending: Sending;
  readonly #release: (spoiled: boolean) => void;

  constructor(client: Client | PoolClient, sending: Sending, release: (spoiled: boolean) => void) {
    this.#client = client;
    this.#sending = sending;
    this.#release = release;
  }

  async query<R>(sql: string, values?: readonly Parameter[], patienceMs?: number): Promise<PostgresResult<R>> {
    const name = values && this.#sending.names.of(sql);
    try {
      const { rows, rowCount } = await this.#client.query<R & QueryResultRow>({
        text: sql,
        ...(values && { values: [...values] }),
        ...(name !== undefined && { name }),
        ...(patienceMs !== undefined && { query_timeout: patienceMs }),
      });
      return { rows, count: rowCount ?? 0 };
    } catch (error) {
      throw lostOr(error);
    }
  }

  async transact<R>(statements: readonly Statement[], patienceMs?: number): Promise<PostgresResult<R>> {
    try {
      return await this.#sending.send<R>(this.#client, statements, patienceMs);
    } catch (error) {
      throw lostOr(error);
    }
  }

  release(spoiled = false): void {
    this.#release(spoiled);
  }
}

async function connected<T>(connect: () => Promise<T>): Promise<T> {
  try {
    return await connect();
  } catch (error) {
    throw lostOr(error);
  }
}

/** What the driver reports without a code of the server or the system is that the connection is not there. */
function lostOr(error: unknown): unknown {
  if (codeOf(error) !== '' || !(error instanceof Error)) return error;
  return Object.assign(new Error(error.message, { cause: error }), { code: 'CONNECTION_CLOSED' });
}
