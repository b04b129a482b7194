/** The key above all keys: what wraps the data keys of tenants, so that they can lie in the database. */

/** What a wrapped key belongs to. A key service can choose a key of its own for each tenant by it. */
export interface WrapContext {
  readonly tenantId: string;
  /** Of the data key. */
  readonly keyId: string;
}

/**
 * A file, or a key service. Data keys are 32 bytes; they are asked for once and then held in memory. What it throws is
 * told as `UNAVAILABLE`: nothing is read or written without it.
 */
export interface MasterKey {
  /** Names the key that wraps for a tenant at present, which may be one of its own. It is stored beside what was wrapped. */
  idFor(tenantId: string): string;
  wrap(key: Uint8Array, context: WrapContext): Uint8Array | Promise<Uint8Array>;
  /** `masterId` is what `idFor` said when it was wrapped: it may be a former one. */
  unwrap(wrapped: Uint8Array, context: WrapContext & { readonly masterId: string }): Uint8Array | Promise<Uint8Array>;
  /** The tenant has been erased: where it has a key of its own, destroys that, and with it what copies and backups hold. */
  forget?(tenantId: string): void | Promise<void>;
}
