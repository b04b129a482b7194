/** Lamina as a program would use it: the embedded library, acting for one user after another. */

import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Lamina } from '../src/compose/lamina.ts';
import { systemClock } from '../src/compose/system.ts';
import { NIL_TENANT } from '../src/domain/principal.ts';
import { SqliteEngine } from '../src/engines/sqlite/sqlite-engine.ts';
import type { Memory } from '../src/operations/memory.ts';
import type { Embedder } from '../src/ports/embedder.ts';

const TENANTS = 'tenants';

export class LaminaSide {
  readonly #lamina: Lamina;
  readonly #memories = new Map<string, Memory>();

  private constructor(lamina: Lamina) {
    this.#lamina = lamina;
  }

  static async open(folder: string, embedder: Embedder): Promise<LaminaSide> {
    return LaminaSide.#over(await Lamina.open({ folder, embedder }));
  }

  /** The same, but every search asks the file for all that it needs, as one does who has nothing but SQL. */
  static async openForgetful(folder: string, embedder: Embedder): Promise<LaminaSide> {
    const engine = new SqliteEngine({ folder, clock: systemClock, remembersSearches: false });
    return LaminaSide.#over(await Lamina.open({ engine, embedder }));
  }

  static async #over(lamina: Lamina): Promise<LaminaSide> {
    const side = new LaminaSide(lamina);
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

  /** Folds the write-ahead log into the file. */
  close(): Promise<void> {
    return this.#lamina.close();
  }
}

export function databaseFile(folder: string): string {
  return join(folder, TENANTS, `${NIL_TENANT}.db`);
}

/** Everything that the tenants take on disk. */
export function bytesOnDisk(folder: string): number {
  const tenants = join(folder, TENANTS);
  return readdirSync(tenants).reduce((sum, name) => sum + statSync(join(tenants, name)).size, 0);
}
