/** What searches of a database remember, all of it: one for a database, so that whoever removes something there says so to whoever searches. */

import type { PostgresDatabase } from './postgres-database.ts';
import { PostgresDescribed } from './postgres-described.ts';
import { PostgresSettled } from './postgres-settled.ts';

export class PostgresRemembered {
  readonly described = new PostgresDescribed();
  readonly settled = new PostgresSettled();

  /** Lets go of what was removed of a tenant; without `ids` of everything. */
  forget(tenantId: string, ids?: ReadonlySet<string>): void {
    this.described.forget(tenantId, ids);
    this.settled.forget(tenantId, ids);
  }
}

const remembered = new WeakMap<PostgresDatabase, PostgresRemembered>();

export function rememberedOf(database: PostgresDatabase): PostgresRemembered {
  const known = remembered.get(database) ?? new PostgresRemembered();
  remembered.set(database, known);
  return known;
}
