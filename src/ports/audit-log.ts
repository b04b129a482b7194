/** What administrators did: kept with the tenant, and beyond it where the tenant itself was erased. */

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

/** A place in the chain: strictly behind this entry. What has no link comes first, and has the sequence 0. */
export interface ChainPosition {
  readonly sequence: number;
  readonly id: string;
}

export interface AuditLog {
  /**
   * Linked to the entry before it, whoever else writes at the same moment. Durable once it resolves. Does nothing where there is
   * an entry of that id. Erasures write their own entries: see `Erasure`.
   */
  record(principal: Principal, entry: AuditEntry): Promise<void>;
  /** The same in the log that outlives tenants: of one that is gone, or of what was done to all of them at once. */
  recordBeyond(entry: AuditEntry, tenantId?: string): Promise<void>;
  /** Newest first, at most `limit`, after `position` where given. */
  list(principal: Principal, limit: number, position?: AuditPosition): Promise<AuditEntry[]>;
  /** The tenant's own log in the order of the chain, at most `limit`. */
  chain(principal: Principal, limit: number, after: ChainPosition): Promise<LoggedEntry[]>;
  /** The same of the log that outlives tenants, over all of them. */
  chainBeyond(limit: number, after: ChainPosition): Promise<LoggedEntry[]>;
  /** The receipt of an erasure in this tenant, or of this tenant. */
  receipt(principal: Principal, erasureId: string): Promise<Receipt | null>;
}
