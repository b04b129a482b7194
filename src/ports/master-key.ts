/** The master key: it wraps the data keys of tenants, so that they can be stored in the database. */

/** What a wrapped key belongs to. A key service can use it to choose a separate key for each tenant. */
export interface WrapContext {
  readonly tenantId: string;
  /** Of the data key. */
  readonly keyId: string;
}

/**
 * A file, or a key service. Data keys are 32 bytes; they are unwrapped once and then held in memory. Its errors become
 * `UNAVAILABLE`: nothing is read or written without it.
 */
export interface MasterKey {
  /**
   * The id of the key that currently wraps for a tenant, which may be specific to it. It is stored beside what was wrapped.
   */
  idFor(tenantId: string): string;
  wrap(key: Uint8Array, context: WrapContext): Uint8Array | Promise<Uint8Array>;
  /** `masterId` is what `idFor` returned when it was wrapped: it may be an earlier one. */
  unwrap(wrapped: Uint8Array, context: WrapContext & { readonly masterId: string }): Uint8Array | Promise<Uint8Array>;
  /** The tenant has been erased: destroys its own key, if it has one, which makes copies and backups unreadable. */
  forget?(tenantId: string): void | Promise<void>;
}
