/** The keys of one tenant, unwrapped: what seals and opens, and makes the marks of an index. */

import { LaminaError } from '../domain/error.ts';
import type { StoredKey } from '../ports/key-store.ts';
import type { MasterKey } from '../ports/master-key.ts';
import { Marks } from './marks.ts';
import { keyIdOf, open, seal } from './sealed-text.ts';
import { UnknownKey } from './unknown-key.ts';

export interface TenantKeysOptions {
  readonly tenantId: string;
  /** By their ids, also those that are retired. */
  readonly keys: ReadonlyMap<string, Uint8Array>;
  /** The one to seal with; absent where the tenant has no keys. */
  readonly currentId?: string | undefined;
  readonly marks?: Marks | undefined;
  /** Whether all that the tenant has is sealed. */
  readonly isComplete: boolean;
  /** Milliseconds: when they were read. */
  readonly readAt: number;
}

export class TenantKeys {
  readonly tenantId: string;
  readonly currentId: string | undefined;
  readonly isComplete: boolean;
  readonly readAt: number;
  readonly isSure: boolean;
  readonly #options: TenantKeysOptions;

  /** Where they are sure to be all that there are, what seems to be sealed with another one never was, unless all is. */
  constructor(options: TenantKeysOptions, isSure = false) {
    this.#options = options;
    this.isSure = isSure;
    this.tenantId = options.tenantId;
    this.currentId = options.currentId;
    this.isComplete = options.isComplete;
    this.readAt = options.readAt;
  }

  sure(): TenantKeys {
    return new TenantKeys(this.#options, true);
  }

  get isThere(): boolean {
    return this.currentId !== undefined;
  }

  get marks(): Marks {
    if (this.#options.marks === undefined) throw new Error('A tenant without keys has no marks.');
    return this.#options.marks;
  }

  seal(text: string, place: string): string {
    const key = this.currentId === undefined ? undefined : this.#options.keys.get(this.currentId);
    if (key === undefined || this.currentId === undefined) throw new Error('A tenant without keys seals nothing.');
    return seal(key, this.currentId, text, this.#placed(place));
  }

  /** Undefined for what is not sealed. Throws {@link UnknownKey}, and `PROVIDER_ERROR` for what was altered. */
  open(text: string, place: string): string | undefined {
    const keyId = keyIdOf(text);
    if (keyId === undefined) return undefined;
    const key = this.#options.keys.get(keyId);
    if (key !== undefined) return open(key, text, this.#placed(place));
    if (!this.isSure) throw new UnknownKey(keyId);
    if (this.isComplete) throw missing();
    return undefined;
  }

  #placed(place: string): string {
    return `${this.tenantId}\n${place}`;
  }
}

/** To look at what is sealed, from outside. Throws what the master key throws. */
export async function unwrappedKeys(
  master: MasterKey,
  tenantId: string,
  stored: readonly StoredKey[],
): Promise<TenantKeys> {
  const keys = new Map<string, Uint8Array>();
  for (const { id: keyId, wrapped, masterId } of stored) {
    keys.set(keyId, await master.unwrap(Buffer.from(wrapped, 'base64url'), { tenantId, keyId, masterId }));
  }
  const index = stored.find(({ purpose }) => purpose === 'index');
  const current = stored.find(({ purpose, retiredAt }) => purpose === 'data' && retiredAt === null);
  const indexKey = index && keys.get(index.id);
  const isComplete = (index?.completeAt ?? null) !== null;
  const marks = indexKey && new Marks(indexKey);
  return new TenantKeys({ tenantId, keys, currentId: marks && current?.id, marks, isComplete, readAt: 0 }, true);
}

function missing(): LaminaError {
  return new LaminaError(
    'PROVIDER_ERROR',
    'A data key is not in the database any more, and what it sealed cannot be opened. Restore a backup that has it.',
  );
}
