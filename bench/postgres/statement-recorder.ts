/** A driver that writes down what is asked of it, so that the very same can be asked again in another way. */

import type { Parameter, PostgresConnection, PostgresDriver } from '../../src/engines/postgres/postgres-driver.ts';

export interface Asked {
  readonly sql: string;
  readonly values: readonly Parameter[];
  /** What was set for it alone, as a statement; undefined for nothing. */
  readonly settings?: string | undefined;
}

const SETS = /^\s*SELECT set_config/;

export class StatementRecorder {
  readonly driver: PostgresDriver;
  #asked: Asked[] | undefined;

  constructor(driver: PostgresDriver) {
    this.driver = {
      reserve: async () => this.#recording(await driver.reserve()),
      dedicate: (lost) => driver.dedicate(lost),
      listen: (channel, heard, ready) => driver.listen(channel, heard, ready),
      close: () => driver.close(),
    };
  }

  /** The statements with values that `work` comes down to, without those that only set the scene. */
  async record(work: () => Promise<unknown>): Promise<Asked[]> {
    const asked: Asked[] = [];
    this.#asked = asked;
    try {
      await work();
    } finally {
      this.#asked = undefined;
    }
    return asked.filter(({ sql }) => /\blamina\.\w/.test(sql) && !/^\s*INSERT/i.test(sql));
  }

  #recording(connection: PostgresConnection): PostgresConnection {
    const transact = connection.transact?.bind(connection);
    return {
      query: (sql, values) => {
        if (values !== undefined) this.#asked?.push({ sql, values });
        return connection.query(sql, values);
      },
      ...(transact && {
        transact: (statements, patienceMs) => {
          const settings = statements.find(({ sql, values }) => values.length === 0 && SETS.test(sql))?.sql;
          this.#asked?.push(...statements.map((statement) => ({ ...statement, settings })));
          return transact(statements, patienceMs);
        },
      }),
      release: (spoiled) => connection.release(spoiled),
    };
  }
}
