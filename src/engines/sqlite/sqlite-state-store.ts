/** State in SQLite. */

import type { Principal } from '../../domain/principal.ts';
import type { StateItem } from '../../domain/state.ts';
import type { StateStore, StateWrite } from '../../ports/state-store.ts';
import type { SqliteTenants } from './sqlite-tenants.ts';

export class SqliteStateStore implements StateStore {
  readonly #tenants: SqliteTenants;
  constructor(tenants: SqliteTenants) {
    this.#tenants = tenants;
  }
  get(_principal: Principal, _namespace: string, _key: string): Promise<StateItem | null> {
    throw new Error(`not yet ${String(this.#tenants)}`);
  }
  list(_principal: Principal, _namespace: string, _limit: number, _afterKey?: string): Promise<StateItem[]> {
    throw new Error('not yet');
  }
  write(_principal: Principal, _namespace: string, _key: string, _write: StateWrite): Promise<StateItem> {
    throw new Error('not yet');
  }
  remove(_principal: Principal, _namespace: string, _key: string, _ifVersion?: number): Promise<boolean> {
    throw new Error('not yet');
  }
  clear(_principal: Principal, _namespace: string): Promise<number> {
    throw new Error('not yet');
  }
}
