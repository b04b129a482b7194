/** The keys of all tenants: read from the database, unwrapped by the master key, held in memory and nowhere else. */

import { randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { LaminaError } from '../domain/error.ts';
import type { Archive } from '../ports/archive.ts';
import type { Clock } from '../ports/clock.ts';
import type { KeyPurpose, KeyStore, StoredKey } from '../ports/key-store.ts';
import type { MasterKey } from '../ports/master-key.ts';
import { RESEALED } from '../ports/resealing.ts';
import { Marks } from './marks.ts';
import { TenantKeys } from './tenant-keys.ts';
import { UnknownKey } from './unknown-key.ts';

/**
 * What is used must have been read this lately: by then every process has heard of a new key, or of a tenant that has begun
 * anew. A retired key is kept much longer than that: see `rotation.ts`.
 */
const MAX_AGE_MS = 10_000;

/** From then on to the end of what is written with them. */
const MAX_WORK_MS = 40_000;

const KEY_BYTES = 32;
const ID_BYTES = 8;
const MAX_TENANTS = 10_000;

/** Collections that tell whether a tenant has anything that was written before it had keys. */
const TOLD_BY = RESEALED.filter((name) => name !== 'versions' && name !== 'contextSnapshots');

export interface KeyringOptions {
  readonly store: KeyStore;
  readonly master: MasterKey;
  /** To see whether a tenant that gets its first keys has anything unsealed. */
  readonly archive: Pick<Archive, 'read'>;
  readonly clock: Clock;
}

export class Keyring {
  readonly master: MasterKey;
  readonly store: KeyStore;
  readonly clock: Clock;
  readonly #archive: Pick<Archive, 'read'>;
  readonly #held = new LRUCache<string, TenantKeys>({ max: MAX_TENANTS });
  /** By tenant and id, so that a key service is asked once for each. */
  readonly #unwrapped = new LRUCache<string, Uint8Array>({ max: 4 * MAX_TENANTS });
  readonly #marks = new LRUCache<string, Marks>({ max: 1000 });

  constructor({ store, master, archive, clock }: KeyringOptions) {
    this.store = store;
    this.master = master;
    this.clock = clock;
    this.#archive = archive;
  }

  /** For work that opens. It may run a second time, with keys that were read anew. */
  reading<T>(tenantId: string, work: (keys: TenantKeys) => Promise<T>): Promise<T> {
    return this.#with(() => this.#known(tenantId), tenantId, work);
  }

  /** For work that seals, and perhaps opens before it. The tenant gets keys where it has none. The same holds. */
  writing<T>(tenantId: string, work: (keys: TenantKeys) => Promise<T>): Promise<T> {
    return this.#with(() => this.#toSeal(tenantId), tenantId, work);
  }

  /** For the end of work that has sealed something: by then nobody may have given up the key. Throws {@link UnknownKey}. */
  assertRecent({ readAt, currentId = '', isSure }: TenantKeys): void {
    if (readAt > this.#now() - MAX_WORK_MS) return;
    if (!isSure) throw new UnknownKey(currentId);
    throw new LaminaError('UNAVAILABLE', 'It took too long to be sealed safely. Try again, with less at once.');
  }

  /** As the database has them. Throws `UNAVAILABLE` where the master key cannot be had. */
  async read(tenantId: string): Promise<TenantKeys> {
    return this.#hold(tenantId, await this.store.list(tenantId));
  }

  /** A new key, wrapped. */
  async made(tenantId: string, purpose: KeyPurpose, completeAt: number | null = null): Promise<StoredKey> {
    const [key, id] = [randomBytes(KEY_BYTES), randomBytes(ID_BYTES).toString('hex')];
    return {
      id,
      purpose,
      ...(await this.#wrapped(tenantId, id, key)),
      createdAt: this.#now(),
      retiredAt: null,
      completeAt,
    };
  }

  /** The same key under the master key of now. */
  async rewrapped(tenantId: string, key: StoredKey): Promise<StoredKey> {
    return { ...key, ...(await this.#wrapped(tenantId, key.id, await this.#unwrap(tenantId, key))) };
  }

  /** Takes what a change of the keys has left, and forgets what it has not. */
  async changed(tenantId: string, stored: readonly StoredKey[]): Promise<TenantKeys> {
    return this.#hold(tenantId, stored);
  }

  /** Forgets the keys of a tenant. */
  drop(tenantId: string): void {
    this.#held.delete(tenantId);
    for (const name of this.#unwrapped.keys()) if (name.startsWith(tenantId)) this.#unwrapped.delete(name);
    for (const name of this.#marks.keys()) if (name.startsWith(tenantId)) this.#marks.delete(name);
  }

  async #with<T>(get: () => Promise<TenantKeys>, tenantId: string, work: (keys: TenantKeys) => Promise<T>): Promise<T> {
    try {
      return await work(await get());
    } catch (error) {
      if (!(error instanceof UnknownKey)) throw error;
      await this.read(tenantId);
      return work((await get()).sure());
    }
  }

  /** Where a tenant has none it may get some any time, so that this is not remembered. */
  async #known(tenantId: string): Promise<TenantKeys> {
    const held = this.#held.get(tenantId);
    return held?.isThere && held.readAt > this.#now() - MAX_AGE_MS ? held : this.read(tenantId);
  }

  async #toSeal(tenantId: string): Promise<TenantKeys> {
    const known = await this.#known(tenantId);
    return known.isThere ? known : this.#first(tenantId);
  }

  async #first(tenantId: string): Promise<TenantKeys> {
    const pages = await Promise.all(TOLD_BY.map((collection) => this.#archive.read(tenantId, collection, 1)));
    const isNew = pages.every(({ last }) => last === undefined);
    const keys = [await this.made(tenantId, 'data'), await this.made(tenantId, 'index', isNew ? this.#now() : null)];
    const stored = await this.store.change(tenantId, (there) => (there.length === 0 ? keys : undefined));
    return this.#hold(tenantId, stored);
  }

  async #hold(tenantId: string, stored: readonly StoredKey[]): Promise<TenantKeys> {
    const readAt = this.#now();
    const keys = new Map<string, Uint8Array>();
    for (const key of stored) keys.set(key.id, await this.#unwrap(tenantId, key));
    const index = stored.find(({ purpose }) => purpose === 'index');
    const current = stored.find(({ purpose, retiredAt }) => purpose === 'data' && retiredAt === null);
    const indexKey = index && keys.get(index.id);
    const held = new TenantKeys({
      tenantId,
      keys,
      currentId: indexKey && current?.id,
      marks: index && indexKey && this.#marksOf(tenantId, index.id, indexKey),
      isComplete: (index?.completeAt ?? null) !== null,
      readAt,
    });
    this.#held.set(tenantId, held);
    return held;
  }

  /** They remember the words that were hashed. */
  #marksOf(tenantId: string, keyId: string, key: Uint8Array): Marks {
    const marks = this.#marks.get(tenantId + keyId) ?? new Marks(key);
    this.#marks.set(tenantId + keyId, marks);
    return marks;
  }

  async #wrapped(tenantId: string, keyId: string, key: Uint8Array): Promise<Pick<StoredKey, 'wrapped' | 'masterId'>> {
    try {
      const wrapped = await this.master.wrap(key, { tenantId, keyId });
      this.#unwrapped.set(tenantId + keyId, key);
      return { wrapped: Buffer.from(wrapped).toString('base64url'), masterId: this.master.idFor(tenantId) };
    } catch (error) {
      throw unusable(error);
    }
  }

  async #unwrap(tenantId: string, { id, wrapped, masterId }: StoredKey): Promise<Uint8Array> {
    const known = this.#unwrapped.get(tenantId + id);
    if (known !== undefined) return known;
    try {
      const key = await this.master.unwrap(Buffer.from(wrapped, 'base64url'), { tenantId, keyId: id, masterId });
      this.#unwrapped.set(tenantId + id, key);
      return key;
    } catch (error) {
      throw unusable(error);
    }
  }

  #now(): number {
    return this.clock.now();
  }
}

function unusable(error: unknown): LaminaError {
  // What it says of files and keys is for who starts a process, and not for who calls it.
  if (error instanceof LaminaError) {
    const message = 'The master key of this process does not open the keys of this tenant. lamina doctor says why.';
    return new LaminaError(error.code, message, { cause: error });
  }
  const message = 'The master key cannot be used at the moment. Look at what holds it: a file, or a key service.';
  return new LaminaError('UNAVAILABLE', message, { cause: error });
}
