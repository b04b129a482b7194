/**
 * Tells the other nodes, by NOTIFY, in which tenants something happened. Not within the transactions in which it happens:
 * a commit that notifies holds a lock over all databases of the server, and commits would wait for each other. So a node
 * gathers what it has committed. Should it die before it tells, others find out by looking.
 */

import type { PostgresDatabase } from './postgres-database.ts';

export const CHANNEL = 'lamina_events';

/** At most so often. */
const PAUSE_MS = 20;

// Nobody waits for the disk: a hint that a crash takes with it is none that anybody misses.
const NOTIFY = `
  SELECT set_config('synchronous_commit', 'off', true), pg_notify('${CHANNEL}', t.id) FROM unnest($1::text[]) AS t (id)`;

export class PostgresEventHints {
  readonly #database: PostgresDatabase;
  readonly #noted = new Set<string>();
  #telling: Promise<void> | undefined;
  #isStopped = false;

  constructor(database: PostgresDatabase) {
    this.#database = database;
  }

  /** Call when something was committed. The first is told at once, what follows with a pause. */
  note(tenantId: string): void {
    if (this.#isStopped) return;
    this.#noted.add(tenantId);
    this.#telling ??= this.#tell();
  }

  /** Resolves when all has been told. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#telling;
  }

  async #tell(): Promise<void> {
    while (this.#noted.size > 0) {
      const tenantIds = [...this.#noted];
      this.#noted.clear();
      // Not worth an error, nor another attempt: it is a hint.
      await this.#database.write({}, NOTIFY, [tenantIds]).catch(() => {});
      if (!this.#isStopped) await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
    this.#telling = undefined;
  }
}
