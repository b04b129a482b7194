/** State in SQLite: beside the entries of the same tenant, in the same file and the same commits. */

import type { Awaitable } from '../../domain/awaitable.ts';
import type { Principal } from '../../domain/principal.ts';
import { isPoolNamespace } from '../../domain/namespace.ts';
import type { StateItem } from '../../domain/state.ts';
import type { Keeping, StatePlace, StateSize, StateStore, StateWrite } from '../../ports/state-store.ts';
import { writing } from '../sql/state-change.ts';
import { translated } from './sqlite-error.ts';
import type { SqliteTenants } from './sqlite-tenants.ts';

export class SqliteStateStore implements StateStore {
  readonly #tenants: SqliteTenants;
  readonly #committed: (tenantId: string) => void;

  /** `committed` is told of every change of what is in pools, after it. */
  constructor(tenants: SqliteTenants, committed: (tenantId: string) => void) {
    this.#tenants = tenants;
    this.#committed = committed;
  }

  get(principal: Principal, namespace: string, key: string): Awaitable<StateItem | null> {
    const open = this.#tenants.peek(principal.tenantId);
    if (open === undefined) {
      return this.#tenants.read<StateItem | null>(
        principal,
        ({ state }) => state.get(namespace, key),
        () => null,
      );
    }
    try {
      open.assertReadable();
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
    const item = await this.#tenants.use(tenantId, ({ state }) => state.write(userId, namespace, key, decide));
    this.#note(tenantId, namespace);
    return item;
  }

  async remove(principal: Principal, namespace: string, key: string, ifVersion?: number): Promise<boolean> {
    const isRemoved = await this.#tenants.read<boolean | Promise<boolean>>(
      principal,
      (tenant) => {
        tenant.foldSoon();
        return tenant.state.remove(namespace, key, ifVersion);
      },
      () => false,
    );
    if (isRemoved) this.#note(principal.tenantId, namespace);
    return isRemoved;
  }

  async clear(principal: Principal, namespace: string): Promise<number> {
    const count = await this.#tenants.read<number | Promise<number>>(
      principal,
      (tenant) => {
        tenant.foldSoon();
        return tenant.state.clear(namespace);
      },
      () => 0,
    );
    if (count > 0) this.#note(principal.tenantId, namespace);
    return count;
  }

  touch({ tenantId }: Principal, namespace: string, key: string, keeping?: Keeping): void {
    this.#tenants.peek(tenantId)?.state.touch(namespace, key, keeping);
  }

  async measure(principal: Principal, namespace: string): Promise<StateSize> {
    return this.#tenants.read<StateSize | Promise<StateSize>>(
      principal,
      ({ state }) => state.measure(namespace),
      () => ({ count: 0, bytes: 0, accesses: 0 }),
    );
  }

  async frequent(
    tenantId: string,
    prefix: string,
    accesses: number,
    limit: number,
    after: StatePlace = { namespace: '', key: '' },
  ): Promise<(StateItem & StatePlace)[]> {
    return this.#tenants.read<(StateItem & StatePlace)[] | Promise<(StateItem & StatePlace)[]>>(
      { tenantId, userId: '' },
      ({ state }) => state.frequent(prefix, accesses, limit, after),
      () => [],
    );
  }

  #note(tenantId: string, namespace: string): void {
    if (isPoolNamespace(namespace)) this.#committed(tenantId);
  }

  /** Of the files that are open: the others are swept when they are next written, and are not worth opening for it. */
  async sweep(signal: AbortSignal, tenantId?: string): Promise<number> {
    let count = 0;
    for (const id of tenantId === undefined ? this.#tenants.openIds() : [tenantId]) {
      if (!signal.aborted) count += (await this.#tenants.peek(id)?.state.sweep()) ?? 0;
    }
    return count;
  }
}
