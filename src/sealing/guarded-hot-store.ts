/** Keeps a process without a master key from what lies beside the database, once another process seals it. */

import { LRUCache } from 'lru-cache';
import type { Awaitable } from '../domain/awaitable.ts';
import { LaminaError } from '../domain/error.ts';
import type { Principal } from '../domain/principal.ts';
import type { HotStore } from '../ports/hot-store.ts';
import type { KeyStore } from '../ports/key-store.ts';

/** How old what is known may be: nobody waits for a look but the first of a tenant. */
const LOOK_MS = 1000;
const MAX_TENANTS = 10_000;

interface Known {
  isSealed: boolean;
  lookedAt: number;
}

class SealWatch {
  readonly #keys: Pick<KeyStore, 'list'>;
  readonly #refusal: () => LaminaError;
  readonly #known = new LRUCache<string, Known>({ max: MAX_TENANTS });

  constructor(keys: Pick<KeyStore, 'list'>, refusal: () => LaminaError) {
    this.#keys = keys;
    this.#refusal = refusal;
  }

  async assertUnsealed(tenantId: string): Promise<void> {
    let known = this.#known.get(tenantId);
    if (known === undefined) {
      known = { isSealed: false, lookedAt: performance.now() };
      await this.#look(tenantId, known);
      this.#known.set(tenantId, known);
    } else if (performance.now() - known.lookedAt > LOOK_MS) {
      known.lookedAt = performance.now();
      void this.#look(tenantId, known);
    }
    if (known.isSealed) throw this.#refusal();
  }

  /** A database that does not answer tells nothing new: what lies beside it can be used meanwhile. */
  async #look(tenantId: string, known: Known): Promise<void> {
    try {
      known.isSealed = (await this.#keys.list(tenantId)).length > 0;
    } catch (error) {
      if (error instanceof LaminaError && error.code === 'CONFIGURATION_ERROR') known.isSealed = true;
    }
  }
}

/** Refuses with `refusal` within two seconds after a tenant got keys. To count and to erase nothing has to be opened. */
export function guardedHotStore(hot: HotStore, keys: Pick<KeyStore, 'list'>, refusal: () => LaminaError): HotStore {
  const watch = new SealWatch(keys, refusal);
  const guarded =
    <Rest extends readonly unknown[], T>(call: (who: Principal, ...rest: Rest) => Awaitable<T>) =>
    async (who: Principal, ...rest: Rest): Promise<T> => {
      await watch.assertUnsealed(who.tenantId);
      return call(who, ...rest);
    };
  const guardedFor =
    <Rest extends readonly unknown[], T>(call: (tenantId: string, ...rest: Rest) => Promise<T>) =>
    async (tenantId: string, ...rest: Rest): Promise<T> => {
      await watch.assertUnsealed(tenantId);
      return call(tenantId, ...rest);
    };
  const { archive } = hot;
  return {
    get isUp() {
      return hot.isUp;
    },
    get: guarded(hot.get.bind(hot)),
    list: guarded(hot.list.bind(hot)),
    write: guarded(hot.write.bind(hot)),
    remove: guarded(hot.remove.bind(hot)),
    clear: guarded(hot.clear.bind(hot)),
    measure: guarded(hot.measure.bind(hot)),
    frequent: guardedFor(hot.frequent.bind(hot)),
    touch: hot.touch.bind(hot),
    sweep: hot.sweep.bind(hot),
    countIn: hot.countIn.bind(hot),
    eraseIn: hot.eraseIn.bind(hot),
    countTenant: hot.countTenant.bind(hot),
    eraseTenant: hot.eraseTenant.bind(hot),
    check: hot.check.bind(hot),
    close: hot.close.bind(hot),
    archive: {
      count: archive.count.bind(archive),
      read: guardedFor(archive.read.bind(archive)),
      write: guardedFor(archive.write.bind(archive)),
      latestVersion: archive.latestVersion.bind(archive),
      advanceVersions: archive.advanceVersions.bind(archive),
    },
  };
}
