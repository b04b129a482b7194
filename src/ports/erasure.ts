/** Removing all that belongs to a person or a tenant, and counting what there is of them. */

import type { AuditEntry } from '../domain/audit.ts';
import type { ErasureCounts } from '../domain/erasure.ts';
import type { Principal } from '../domain/principal.ts';

export interface ErasureWork {
  /** Told every text that may have been embedded for what is removed, in portions. */
  readonly forget: (texts: readonly string[]) => void;
  /** Makes the entry of the audit log that is written with the removal. */
  readonly entryOf: (counts: ErasureCounts) => AuditEntry;
}

export interface ErasedUser {
  readonly userId: string;
  /** What stands in the audit log for the user from now on. */
  readonly pseudonym: string;
  /** The state that goes with a plan of the user; asked for each of them. */
  readonly namespaceOfPlan: (planId: string) => string;
}

/**
 * When an erasure resolves, no row, index, cache or log of the engine holds anything of its subject. A failed one may
 * have removed a part, is not in the audit log, and can be repeated.
 */
export interface Erasure {
  /** Of the principal's tenant. The entry of the audit log is stored there. */
  eraseUser(principal: Principal, user: ErasedUser, work: ErasureWork): Promise<AuditEntry>;
  /** The principal's own. The entry of the audit log outlives it. */
  eraseTenant(principal: Principal, work: ErasureWork): Promise<AuditEntry>;
  /** What there is of a user. */
  countUser(principal: Principal, user: ErasedUser): Promise<ErasureCounts>;
  /** What there is in the principal's tenant. */
  countTenant(principal: Principal): Promise<ErasureCounts>;
}
