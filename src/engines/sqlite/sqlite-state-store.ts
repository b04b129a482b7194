/** State in SQLite: beside the entries of the same tenant, in the same file and the same commits. */

import type { Principal } from '../../domain/principal.ts';
import type { StateItem } from '../../domain/state.ts';
import type { StateStore, StateWrite } from '../../ports/state-store.ts';
import { writing } from '../sql/state-change.ts';
import { translated } from './sqlite-error.ts';
import type { SqliteTenants } from './sqlite-tenants.ts';

export class SqliteStateStore implements StateStore {
  readonly #tenants: SqliteTenants;

  constructor(tenants: SqliteTenants) {
    this.#tenants = tenants;
  }

  async get(principal: Principal, namespace: string, key: string): Promise<StateItem | null> {
    const open = this.#tenants.peek(principal.tenantId);
    if (open === undefined) {
      return this.#tenants.read<StateItem | null>(
        principal,
        ({ state }) => state.get(namespace, key),
        () => null,
      );
    }
    try {
      return open.state.get(namespace, key);
    } catch (error) {
      throw translated(error);
    }
  }

  list(principal: Principal, namespace: string, limit: number, afterKey = ''): Promise<StateItem[]> {
    return this.#tenants.read<StateItem[]>(
      principal,
      ({ state }) => state.list(namespace, limit, afterKey),
      () => [],
    );
  }

  async write({ tenantId, userId }: Principal, namespace: string, key: string, write: StateWrite): Promise<StateItem> {
    // Before anything is waited for: the caller may change the value as soon as this has been called.
    const decide = writing(key, write);
    return this.#tenants.use(tenantId, (tenant) => {
      tenant.welcome(userId);
      return tenant.state.write(namespace, key, decide);
    });
  }

  async remove(principal: Principal, namespace: string, key: string, ifVersion?: number): Promise<boolean> {
    return this.#tenants.read<boolean | Promise<boolean>>(
      principal,
      ({ state }) => state.remove(namespace, key, ifVersion),
      () => false,
    );
  }

  async clear(principal: Principal, namespace: string): Promise<number> {
    return this.#tenants.read<number | Promise<number>>(
      principal,
      ({ state }) => state.clear(namespace),
      () => 0,
    );
  }

  /** Of the files that are open: the others are swept when they are next written, and are not worth opening for it. */
  async sweep(signal: AbortSignal): Promise<void> {
    for (const tenantId of this.#tenants.openIds()) {
      if (!signal.aborted) await this.#tenants.peek(tenantId)?.state.sweep();
    }
  }
}
