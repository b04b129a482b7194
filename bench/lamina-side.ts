/** Lamina as a program would use it: the embedded library, acting for one user after another. */

import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Sqlite, { type Database } from 'better-sqlite3';
import { Lamina } from '../src/compose/lamina.ts';
import { systemClock } from '../src/compose/system.ts';
import { NIL_TENANT } from '../src/domain/principal.ts';
import { SqliteEngine } from '../src/engines/sqlite/sqlite-engine.ts';
import type { Memory } from '../src/operations/memory.ts';
import type { Embedder } from '../src/ports/embedder.ts';

const TENANTS = 'tenants';

/** Pages in the log of writes from which on it is folded beside the commits. */
const LONG_LOG = 1000;

export class LaminaSide {
  readonly #lamina: Lamina;
  readonly #file: string;
  readonly #memories = new Map<string, Memory>();
  /** By which the log is watched: to open one each time would be charged to whoever waits. */
  #watching: Database | undefined;

  private constructor(lamina: Lamina, file: string) {
    this.#lamina = lamina;
    this.#file = file;
  }

  static async open(folder: string, embedder: Embedder): Promise<LaminaSide> {
    return LaminaSide.#over(folder, await Lamina.open({ folder, embedder }));
  }

  /** The same, but every search asks the file for all that it needs, as one does who has nothing but SQL. */
  static async openForgetful(folder: string, embedder: Embedder): Promise<LaminaSide> {
    const engine = new SqliteEngine({ folder, clock: systemClock, remembersSearches: false });
    return LaminaSide.#over(folder, await Lamina.open({ engine, embedder }));
  }

  static async #over(folder: string, lamina: Lamina): Promise<LaminaSide> {
    const side = new LaminaSide(lamina, databaseFile(folder));
    // Opens the tenant's file, so that no measurement or recording pays for that. A list counts no access.
    await side.memoryOf('nobody').list({ layer: 'user', limit: 1 });
    return side;
  }

  memoryOf(userId: string): Memory {
    let memory = this.#memories.get(userId);
    if (memory === undefined) {
      memory = this.#lamina.as({ userId });
      this.#memories.set(userId, memory);
    }
    return memory;
  }

  /** Resolves when nothing goes on beside: what a thread does for Lamina must not be paid for by who comes next. */
  async settled(): Promise<void> {
    this.#watching ??= new Sqlite(this.#file, { readonly: true });
    while (unfolded(this.#watching) >= LONG_LOG) await sleep(1);
  }

  /** Folds the write-ahead log into the file. */
  close(): Promise<void> {
    this.#watching?.close();
    return this.#lamina.close();
  }
}

function unfolded(db: Database): number {
  const [row] = db.pragma('wal_checkpoint(NOOP)') as { readonly log: number; readonly checkpointed: number }[];
  return row === undefined ? 0 : row.log - row.checkpointed;
}

export function databaseFile(folder: string): string {
  return join(folder, TENANTS, `${NIL_TENANT}.db`);
}

/** Everything that the tenants take on disk. */
export function bytesOnDisk(folder: string): number {
  const tenants = join(folder, TENANTS);
  return readdirSync(tenants).reduce((sum, name) => sum + statSync(join(tenants, name)).size, 0);
}
