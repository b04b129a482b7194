/** Accesses of entries that are still to be counted: gathered in memory, and written down together a moment later. */

import { accessAt, addedAccesses, MAX_ACCESS_TIMES, type Accesses } from '../../domain/access-times.ts';
import type { Clock } from '../../ports/clock.ts';
import type { SqliteConnection } from './sqlite-connection.ts';

const COUNT_ACCESS = `
  UPDATE entries SET access_count = access_count + ?, last_accessed_at = max(coalesce(last_accessed_at, 0), ?),
    access_times = (SELECT json_group_array(t.value ORDER BY t.value DESC) FROM (
      SELECT value FROM (SELECT value FROM json_each(?) UNION ALL SELECT value FROM json_each(coalesce(access_times, '[]')))
      ORDER BY value DESC LIMIT ${MAX_ACCESS_TIMES}) t)
  WHERE id = ?`;

const DELAY_MS = 1000;

/** While the file cannot be written they pile up; from here on further entries are not worth their memory. */
const MAX_PENDING = 100_000;

type Write = (work: (connection: SqliteConnection) => void) => Promise<void>;

export class SqliteEntryTouches {
  readonly #write: Write;
  readonly #clock: Clock;
  readonly #pending = new Map<string, Accesses>();
  #timer: NodeJS.Timeout | undefined;

  constructor(write: Write, clock: Clock) {
    this.#write = write;
    this.#clock = clock;
  }

  get size(): number {
    return this.#pending.size;
  }

  add(ids: readonly string[]): void {
    const access = accessAt(this.#clock.now());
    for (const id of ids) this.#add(id, access);
    // A failed flush is not worth an error: the accesses are put back, and go with the next one.
    this.#timer ??= setTimeout(() => void this.flush().catch(() => {}), DELAY_MS).unref();
  }

  #add(id: string, accesses: Accesses): void {
    const before = this.#pending.get(id);
    if (before === undefined && this.#pending.size >= MAX_PENDING) return;
    this.#pending.set(id, before === undefined ? accesses : addedAccesses(before, accesses));
  }

  async flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#pending.size === 0) return;
    const touches = [...this.#pending];
    this.#pending.clear();
    try {
      await this.#write((connection) => {
        for (const [id, { count, at, times }] of touches) {
          connection.run(COUNT_ACCESS, count, at, JSON.stringify(times), id);
        }
      });
    } catch (error) {
      for (const [id, accesses] of touches) this.#add(id, accesses);
      throw error;
    }
  }

  drop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#pending.clear();
  }
}
