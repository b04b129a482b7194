/** The data keys of tenants: stored wrapped, beside what they seal, and useless without the master key. */

/** `data` seals; `index` derives the tokens by which sealed text can still be looked up. */
export type KeyPurpose = 'data' | 'index';

/** Times are milliseconds. */
export interface StoredKey {
  readonly id: string;
  readonly purpose: KeyPurpose;
  /** Base64url. */
  readonly wrapped: string;
  /** The master key that wrapped it. */
  readonly masterId: string;
  readonly createdAt: number;
  /** When it was retired from sealing; null for the one in use. */
  readonly retiredAt: number | null;
  /** For the index key: since when everything of the tenant is sealed; null while something may not be. */
  readonly completeAt: number | null;
}

export interface TenantKey extends StoredKey {
  readonly tenantId: string;
}

/** Spans all tenants: the holder is responsible for access control. */
export interface KeyStore {
  /** In no particular order; empty if the tenant has none or does not exist. */
  list(tenantId: string): Promise<readonly StoredKey[]>;
  /** One key each of up to this many tenants that have some. Unreadable ones are left out. */
  sample(limit: number): Promise<readonly TenantKey[]>;
  /**
   * Replaces all keys of a tenant under a lock, and returns the resulting ones. Undefined leaves them as they are. `change`
   * may run more than once. Durable once it resolves.
   */
  change(
    tenantId: string,
    change: (keys: readonly StoredKey[]) => readonly StoredKey[] | undefined,
  ): Promise<readonly StoredKey[]>;
}
