/** What administrators did: stored with the tenant, and outside it if the tenant itself was erased. */

import type { AuditEntry } from '../domain/audit.ts';
import type { LoggedEntry } from '../domain/audit-chain.ts';
import type { Receipt } from '../domain/erasure.ts';
import type { Principal } from '../domain/principal.ts';

/** A place in the log: strictly before this entry, newest first. */
export interface AuditPosition {
  /** Milliseconds. */
  readonly at: number;
  readonly id: string;
}

/** A place in the chain: strictly after this entry. Entries without a link come first, with sequence 0. */
export interface ChainPosition {
  readonly sequence: number;
  readonly id: string;
}

export interface AuditLog {
  /**
   * Linked to the entry before it, even under concurrent writes. Durable once it resolves. Does nothing if an entry has
   * that id. Erasures write their own entries: see `Erasure`.
   */
  record(principal: Principal, entry: AuditEntry): Promise<void>;
  /** The same in the log that outlives tenants: for an erased tenant, or for acts on all tenants at once. */
  recordBeyond(entry: AuditEntry, tenantId?: string): Promise<void>;
  /** Newest first, at most `limit`, after `position` if given. */
  list(principal: Principal, limit: number, position?: AuditPosition): Promise<AuditEntry[]>;
  /** The tenant's own log in the order of the chain, at most `limit`. */
  chain(principal: Principal, limit: number, after: ChainPosition): Promise<LoggedEntry[]>;
  /** The same of the log that outlives tenants, over all of them. */
  chainBeyond(limit: number, after: ChainPosition): Promise<LoggedEntry[]>;
  /** The receipt of an erasure in this tenant, or of this tenant. */
  receipt(principal: Principal, erasureId: string): Promise<Receipt | null>;
}
