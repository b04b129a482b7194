/** State: values are sealed, keys and namespaces are not. What changes a value reads it first, and compares. */

import type { Json } from '../domain/json.ts';
import { LaminaError } from '../domain/error.ts';
import type { Principal } from '../domain/principal.ts';
import { assertStateVersion, contended, mutated, serialised, type Mutation, type StateItem } from '../domain/state.ts';
import type { Keeping, StatePlace, StateSize, StateStore, StateWrite } from '../ports/state-store.ts';
import type { Keyring } from './keyring.ts';
import { readOn } from './sealed-reads.ts';
import { keyIdOf, openedLength, openedOrNamed, openedOrNone } from './sealed-text.ts';
import type { TenantKeys } from './tenant-keys.ts';
import { Turns } from './turns.ts';

/** How often somebody may have been quicker: of those who race one always wins. */
const MAX_ATTEMPTS = 1000;

/** So many values are measured one by one; of more the sum is right to within a byte for each. */
const MAX_MEASURED = 200;

/** How many bytes as JSON are not the value's, for each: quotes, prefix, nonce and tag. */
const SEALED_EXTRA = 62;

/** Whether what stands there decides nothing. */
function isBlind(mutation: Mutation): mutation is Extract<Mutation, { readonly type: 'set' }> {
  return mutation.type === 'set' && (mutation.path ?? []).length === 0;
}

export class SealedState implements StateStore {
  readonly #state: StateStore;
  readonly #keyring: Keyring;
  readonly #turns = new Turns();

  constructor(state: StateStore, keyring: Keyring) {
    this.#state = state;
    this.#keyring = keyring;
  }

  get(principal: Principal, namespace: string, key: string): Promise<StateItem | null> {
    return this.#keyring.reading(principal.tenantId, async (keys) => {
      const item = await this.#state.get(principal, namespace, key);
      return item && openedItem(keys, namespace, item);
    });
  }

  list(principal: Principal, namespace: string, limit: number, afterKey?: string): Promise<StateItem[]> {
    return this.#keyring.reading(principal.tenantId, (keys) =>
      readOn<StateItem, string>(
        limit,
        afterKey,
        (size, after) => this.#state.list(principal, namespace, size, after),
        ({ key }) => key,
        (item) => openedOrNone(() => openedItem(keys, namespace, item)),
      ),
    );
  }

  async write(principal: Principal, namespace: string, key: string, write: StateWrite): Promise<StateItem> {
    // Before anything is waited for: the caller may change the value as soon as this has been called.
    const own: StateWrite = { ...write, mutation: JSON.parse(JSON.stringify(write.mutation)) as Mutation };
    const { mutation, maxBytes } = own;
    if (isBlind(mutation)) {
      const json = serialised(mutation.value, maxBytes);
      return this.#keyring.writing(principal.tenantId, (keys) => this.#put(keys, principal, namespace, key, own, json));
    }
    if (mutation.type === 'keep') {
      return this.#keyring.writing(principal.tenantId, async (keys) => {
        const item = await this.#state.write(principal, namespace, key, { ...own, maxBytes: Infinity });
        return openedItem(keys, namespace, item);
      });
    }
    return this.#turns.take(JSON.stringify([principal.tenantId, namespace, key]), () =>
      this.#keyring.writing(principal.tenantId, (keys) => this.#mutate(keys, principal, namespace, key, own)),
    );
  }

  remove(principal: Principal, namespace: string, key: string, ifVersion?: number): Promise<boolean> {
    return this.#state.remove(principal, namespace, key, ifVersion);
  }

  clear(principal: Principal, namespace: string): Promise<number> {
    return this.#state.clear(principal, namespace);
  }

  touch(principal: Principal, namespace: string, key: string, keeping?: Keeping): void {
    this.#state.touch(principal, namespace, key, keeping);
  }

  async measure(principal: Principal, namespace: string): Promise<StateSize> {
    const size = await this.#state.measure(principal, namespace);
    const keys = await this.#keyring.reading(principal.tenantId, async (each) => each);
    if (!keys.isThere) return size;
    if (size.count > MAX_MEASURED) {
      return { ...size, bytes: Math.max(0, Math.round(((size.bytes - SEALED_EXTRA * size.count) * 3) / 4)) };
    }
    const items = await this.#state.list(principal, namespace, MAX_MEASURED + 1);
    return { ...size, bytes: items.reduce((sum, { value }) => sum + bytesOf(value), 0) };
  }

  frequent(
    tenantId: string,
    prefix: string,
    accesses: number,
    limit: number,
    after?: StatePlace,
  ): Promise<(StateItem & StatePlace)[]> {
    // What outlives its time may also outlive its key: then there is nothing to be made of it.
    return this.#keyring.reading(tenantId, async (keys) => {
      const items = await this.#state.frequent(tenantId, prefix, accesses, limit, after);
      return items.flatMap((item) => openedOrNone(() => openedItem(keys, item.namespace, item)) ?? []);
    });
  }

  sweep(signal: AbortSignal, tenantId?: string): Promise<number> {
    return this.#state.sweep(signal, tenantId);
  }

  /** No engine can add to what it cannot read: so it is read, changed and compared, until nobody has come in between. */
  async #mutate(
    keys: TenantKeys,
    principal: Principal,
    namespace: string,
    key: string,
    write: StateWrite,
  ): Promise<StateItem> {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      const stored = await this.#state.get(principal, namespace, key);
      const current = stored && openedItem(keys, namespace, stored);
      const ifVersion = current?.version ?? 0;
      assertStateVersion(key, ifVersion, write.ifVersion);
      const json = serialised(mutated(key, current?.value, write.mutation), write.maxBytes);
      try {
        return await this.#put(keys, principal, namespace, key, { ...write, ifVersion }, json);
      } catch (error) {
        const isRace = error instanceof LaminaError && error.code === 'VERSION_CONFLICT';
        if (!isRace || write.ifVersion !== undefined) throw error;
      }
    }
    throw contended();
  }

  async #put(
    keys: TenantKeys,
    principal: Principal,
    namespace: string,
    key: string,
    { ifVersion, expiresAt }: StateWrite,
    json: string,
  ): Promise<StateItem> {
    this.#keyring.assertRecent(keys);
    const mutation: Mutation = { type: 'set', value: keys.seal(json, placeOf(namespace, key)) };
    const write: StateWrite = { mutation, ifVersion, expiresAt, maxBytes: Infinity };
    const item = await this.#state.write(principal, namespace, key, write);
    return { ...item, value: JSON.parse(json) as Json };
  }
}

/** The same value, sealed for where it lies. */
export function sealedItem<I extends StateItem>(keys: TenantKeys, namespace: string, item: I): I {
  return { ...item, value: keys.seal(JSON.stringify(item.value), placeOf(namespace, item.key)) };
}

export function openedItem<I extends StateItem>(keys: TenantKeys, namespace: string, item: I): I {
  const { value, key } = item;
  if (typeof value !== 'string') return item;
  const text = openedOrNamed('value', key, () => keys.open(value, placeOf(namespace, key)));
  return text === undefined ? item : { ...item, value: JSON.parse(text) as Json };
}

/** Unambiguous whatever both hold. */
function placeOf(namespace: string, key: string): string {
  return `state\n${namespace.length}:${namespace}${key}`;
}

function bytesOf(value: Json): number {
  if (typeof value === 'string' && keyIdOf(value) !== undefined) return openedLength(value);
  return Buffer.byteLength(JSON.stringify(value));
}
