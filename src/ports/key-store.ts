/** Where the data keys of tenants lie: wrapped, beside what they seal, and of no use without the master key. */

/** `data` seals; `index` makes the marks by which sealed text can still be looked up. */
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
  /** Since when nothing is sealed with it any more; null for the one in use. */
  readonly retiredAt: number | null;
  /** Of the index key: since when nothing of the tenant is left unsealed; null while something may be. */
  readonly completeAt: number | null;
}

export interface TenantKey extends StoredKey {
  readonly tenantId: string;
}

/** Of all tenants: whoever holds it answers for them. */
export interface KeyStore {
  /** In no particular order; none where the tenant has none, or is not there. */
  list(tenantId: string): Promise<readonly StoredKey[]>;
  /** A key each of so many tenants that have some. What cannot be looked at is left out. */
  sample(limit: number): Promise<readonly TenantKey[]>;
  /**
   * Puts others in the place of all keys of a tenant, as if alone; gives back what stands there then. Undefined leaves them
   * as they are. `change` may run more than once. Durable once it resolves.
   */
  change(
    tenantId: string,
    change: (keys: readonly StoredKey[]) => readonly StoredKey[] | undefined,
  ): Promise<readonly StoredKey[]>;
}
