/** A hot store of which the values are sealed as they are in the database. */

import type { ArchivedState } from '../ports/archive.ts';
import type { HotArchive, HotStore, StateSelection } from '../ports/hot-store.ts';
import type { StatePlace } from '../ports/state-store.ts';
import type { Keyring } from './keyring.ts';
import { openedItem, SealedState, sealedItem } from './sealed-state.ts';

export class SealedHotStore extends SealedState implements HotStore {
  readonly archive: HotArchive;
  readonly #hot: HotStore;

  constructor(hot: HotStore, keyring: Keyring) {
    super(hot, keyring);
    this.#hot = hot;
    this.archive = sealedHotArchive(hot.archive, keyring);
  }

  get isUp(): boolean {
    return this.#hot.isUp;
  }

  countIn(tenantId: string, selection: StateSelection): Promise<number> {
    return this.#hot.countIn(tenantId, selection);
  }

  eraseIn(tenantId: string, selection: StateSelection): Promise<number> {
    return this.#hot.eraseIn(tenantId, selection);
  }

  countTenant(tenantId: string): Promise<number> {
    return this.#hot.countTenant(tenantId);
  }

  eraseTenant(tenantId: string): Promise<number> {
    return this.#hot.eraseTenant(tenantId);
  }

  check(): Promise<string | undefined> {
    return this.#hot.check();
  }

  close(): Promise<void> {
    return this.#hot.close();
  }
}

function sealedHotArchive(archive: HotArchive, keyring: Keyring): HotArchive {
  return {
    count: (tenantId) => archive.count(tenantId),
    read: (tenantId: string, limit: number, after?: StatePlace): Promise<ArchivedState[]> =>
      keyring.reading(tenantId, async (keys) => {
        const items = await archive.read(tenantId, limit, after);
        return items.map((item) => openedItem(keys, item.namespace, item));
      }),
    write: (tenantId, items) =>
      keyring.writing(tenantId, (keys) =>
        archive.write(
          tenantId,
          items.map((item) => sealedItem(keys, item.namespace, item)),
        ),
      ),
    latestVersion: (tenantId) => archive.latestVersion(tenantId),
    advanceVersions: (tenantId, version) => archive.advanceVersions(tenantId, version),
  };
}
