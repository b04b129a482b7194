/** Removing everything that belongs to a person or a tenant, and counting it. */

import type { AuditEntry } from '../domain/audit.ts';
import type { ErasureCounts } from '../domain/erasure.ts';
import type { Principal } from '../domain/principal.ts';

export interface ErasureWork {
  /** Called with every text that may have been embedded for what is removed, in batches. */
  readonly forget: (texts: readonly string[]) => void;
  /** Makes the audit log entry that is written with the removal. */
  readonly entryOf: (counts: ErasureCounts) => AuditEntry;
}

export interface ErasedUser {
  readonly userId: string;
  /** The pseudonym of the user in the audit log from now on. */
  readonly pseudonym: string;
  /** The state that is deleted with a plan of the user; called for each plan. */
  readonly namespaceOfPlan: (planId: string) => string;
}

/**
 * When an erasure resolves, no row, index, cache or log of the engine holds anything of its subject. A failed erasure may
 * have removed a part, is not in the audit log, and can be repeated.
 */
export interface Erasure {
  /** A user of the principal's tenant. The audit log entry is stored there. */
  eraseUser(principal: Principal, user: ErasedUser, work: ErasureWork): Promise<AuditEntry>;
  /** The principal's own tenant. The audit log entry outlives it. */
  eraseTenant(principal: Principal, work: ErasureWork): Promise<AuditEntry>;
  /** Counts what belongs to a user. */
  countUser(principal: Principal, user: ErasedUser): Promise<ErasureCounts>;
  /** Counts what is in the principal's tenant. */
  countTenant(principal: Principal): Promise<ErasureCounts>;
}
