/** What was read stands as long as nobody commits, in whichever process: until then it need not be read again. */

import { LOG_HEADER_BYTES, type LogIndex, type SqliteConnection } from './sqlite-connection.ts';

/** Then it begins anew. */
const MOST_KNOWN = 4096;

/** What was read since the last commit. Another one after the next. */
export type Moment = Map<string, unknown>;

export class SqliteStandstill {
  readonly #connection: SqliteConnection;
  readonly #header = Buffer.alloc(LOG_HEADER_BYTES);
  readonly #lastHeader = Buffer.alloc(LOG_HEADER_BYTES);
  #moment: Moment = new Map();
  /** How many commits there were when a transaction of this process began that is under way; undefined where the moment was over by then. */
  #commitsBefore: number | undefined;

  /** Any connection to the file: all see the same log. */
  constructor(connection: SqliteConnection) {
    this.#connection = connection;
  }

  /** Ask before reading: what is committed in between is then noticed the next time. */
  moment(): Moment {
    const isSame = this.#connection.readLogHeader(this.#header) && this.#header.equals(this.#lastHeader);
    if (isSame && this.#moment.size < MOST_KNOWN) return this.#moment;
    this.#header.copy(this.#lastHeader);
    this.#moment = new Map();
    return this.#moment;
  }

  /** To be called when a transaction of this process keeps all others from writing. */
  beginWriting(): void {
    const log = this.#connection.readLog();
    this.#commitsBefore = log?.header.equals(this.#lastHeader) ? log.commits : undefined;
  }

  /**
   * To be called right after a commit of this process that left alone what searches read: accesses are written down every second, and
   * values of working memory all the time. Where nobody else has committed, the moment goes on.
   */
  noteAside(log: LogIndex): void {
    if (this.#commitsBefore !== undefined && log.commits === this.#commitsBefore + 1) log.header.copy(this.#lastHeader);
    this.#commitsBefore = undefined;
  }

  /** Reads it, unless that was done since the last commit. */
  once<T>(name: string, read: () => T): T {
    const moment = this.moment();
    if (moment.has(name)) return moment.get(name) as T;
    const value = read();
    moment.set(name, value);
    return value;
  }
}
