/** What administrators did: kept with the tenant, and beyond it where the tenant itself was erased. */

import type { AuditEntry } from '../domain/audit.ts';
import type { Receipt } from '../domain/erasure.ts';
import type { Principal } from '../domain/principal.ts';

/** A place in the log: strictly before this entry, newest first. */
export interface AuditPosition {
  /** Milliseconds. */
  readonly at: number;
  readonly id: string;
}

export interface AuditLog {
  /** Durable once it resolves. Erasures write their own entries: see `Erasure`. */
  record(principal: Principal, entry: AuditEntry): Promise<void>;
  /** Newest first, at most `limit`, after `position` where given. */
  list(principal: Principal, limit: number, position?: AuditPosition): Promise<AuditEntry[]>;
  /** The receipt of an erasure in this tenant, or of this tenant. */
  receipt(principal: Principal, erasureId: string): Promise<Receipt | null>;
}
