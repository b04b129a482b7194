/** A driver that writes down what is asked on each connection from its reservation to its release: the transactions of a write. */

import type { Parameter, PostgresConnection, PostgresDriver } from '../../src/engines/postgres/postgres-driver.ts';

export interface Sent {
  readonly sql: string;
  /** Undefined where it is not prepared. */
  readonly values: readonly Parameter[] | undefined;
}

export type Session = readonly Sent[];

export class SessionRecorder {
  readonly driver: PostgresDriver;
  #sessions: Sent[][] | undefined;

  constructor(driver: PostgresDriver) {
    this.driver = { ...bound(driver), reserve: async () => this.#recording(await driver.reserve()) };
  }

  /** What `work` comes down to, in the order in which its transactions began. Those that were taken back are left out. */
  async record(work: () => Promise<unknown>): Promise<Session[]> {
    const sessions: Sent[][] = [];
    this.#sessions = sessions;
    try {
      await work();
    } finally {
      this.#sessions = undefined;
    }
    return sessions.filter((session) => session.length > 0 && session.at(-1)?.sql !== 'ROLLBACK');
  }

  #recording(connection: PostgresConnection): PostgresConnection {
    const session: Sent[] = [];
    this.#sessions?.push(session);
    return {
      query: (sql, values, patienceMs) => {
        session.push({ sql, values });
        return connection.query(sql, values, patienceMs);
      },
      ...recordingMessages(connection, session),
      release: (spoiled) => connection.release(spoiled),
    };
  }
}

function recordingMessages(connection: PostgresConnection, session: Sent[]): Pick<PostgresConnection, 'transact'> {
  const transact = connection.transact?.bind(connection);
  if (transact === undefined) return {};
  return {
    transact: async (statements, patienceMs) => {
      const answer = await transact<never>(statements, patienceMs);
      session.push(...statements);
      return answer;
    },
  };
}

/** The very same again, sent as it was: in one message, or statement by statement. None of them is waited for by itself. */
export async function play(connection: PostgresConnection, session: Session): Promise<void> {
  const statements = session.map(({ sql, values = [] }) => ({ sql, values }));
  if (connection.transact && session[0]?.sql !== 'BEGIN') await connection.transact(statements);
  else await Promise.all(session.map(({ sql, values }) => connection.query(sql, values)));
}

function bound(driver: PostgresDriver): Omit<PostgresDriver, 'reserve' | 'load'> {
  return {
    dedicate: (lost) => driver.dedicate(lost),
    listen: (channel, heard, ready) => driver.listen(channel, heard, ready),
    close: () => driver.close(),
  };
}
