/** What searches of a database remember, all of it: one for a database, so that whoever removes something there says so to whoever searches. */

import type { PostgresDatabase } from './postgres-database.ts';
import { PostgresDescribed } from './postgres-described.ts';
import { PostgresSettled } from './postgres-settled.ts';
import { Surprises } from './surprises.ts';

export class PostgresRemembered {
  readonly described: PostgresDescribed;
  readonly settled: PostgresSettled;
  readonly surprises = new Surprises();

  /** Half of the bytes for what describes entries, half for reaches that are held whole. */
  constructor(bytes: number) {
    const half = Math.floor(bytes / 2);
    this.described = new PostgresDescribed(half);
    this.settled = new PostgresSettled(half);
  }

  /** Lets go of what was removed of a tenant; without `ids` of everything. */
  forget(tenantId: string, ids?: ReadonlySet<string>): void {
    this.described.forget(tenantId, ids);
    this.settled.forget(tenantId, ids);
  }
}

const remembered = new WeakMap<PostgresDatabase, PostgresRemembered>();

export function rememberedOf(database: PostgresDatabase): PostgresRemembered {
  const known = remembered.get(database) ?? new PostgresRemembered(database.searchBytes);
  remembered.set(database, known);
  return known;
}
