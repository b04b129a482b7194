/** A connection of the service with nothing of Lamina in between: whoever has it can send any statement. */

import { DatabaseError, type Client, type QueryResult } from 'pg';
import { connect } from './postgres-server.ts';

/** What a transaction says of itself; see the functions at the beginning of sql/postgres. */
export interface RawContext {
  readonly tenant?: string;
  readonly user?: string;
  readonly purpose?: string;
}

export interface RawAnswer {
  /** The code with which the database refused; undefined when it did not. */
  readonly refusal: string | undefined;
  readonly message: string;
  /** How many rows the last statement read or changed. */
  readonly count: number;
  /** Everything that came back, whichever way: rows, copied data, notices and the text of an error. */
  readonly text: string;
}

export class RawSession {
  readonly #client: Client;
  readonly #heard: string[] = [];

  private constructor(client: Client) {
    this.#client = client;
    client.on('notice', ({ message }) => this.#heard.push(message ?? ''));
    // Data of COPY comes as messages of the protocol, beside the rows.
    const { connection } = client as unknown as { connection: NodeJS.EventEmitter };
    connection.on('copyData', ({ chunk }: { chunk: Buffer }) => this.#heard.push(chunk.toString('utf8')));
  }

  static async open(url: string): Promise<RawSession> {
    return new RawSession(await connect(url));
  }

  close(): Promise<void> {
    return this.#client.end();
  }

  /** The statements in a transaction, which is committed: whatever they could do has been done. */
  async attempt(context: RawContext, ...statements: string[]): Promise<RawAnswer> {
    this.#heard.length = 0;
    const texts: unknown[] = [];
    let last: QueryResult | undefined;
    try {
      await this.#client.query('BEGIN');
      await this.set(context);
      for (const statement of statements) {
        last = await this.#client.query(statement);
        texts.push(last.rows);
      }
      await this.#client.query('COMMIT');
      return this.#answer(last?.rowCount ?? 0, texts);
    } catch (error) {
      await this.#client.query('ROLLBACK');
      if (!(error instanceof DatabaseError)) throw error;
      return this.#answer(0, [texts, error.message, error.detail], error);
    }
  }

  /** Says for whom, in the transaction that is under way. */
  async set({ tenant = '', user = '', purpose = '' }: RawContext): Promise<void> {
    await this.#client.query(
      `SELECT set_config('app.current_tenant', $1, true), set_config('app.current_user', $2, true),
              set_config('app.purpose', $3, true)`,
      [tenant, user, purpose],
    );
  }

  #answer(count: number, texts: unknown, error?: DatabaseError): RawAnswer {
    const text = JSON.stringify([texts, this.#heard]);
    return { refusal: error?.code, message: error?.message ?? '', count, text };
  }
}
