/** Erasing if vectors are also in an index beside the store. They hold no text, but are derived from it. */

import type { AuditEntry } from '../../domain/audit.ts';
import type { ErasureCounts } from '../../domain/erasure.ts';
import type { Principal } from '../../domain/principal.ts';
import type { ErasedUser, Erasure, ErasureWork } from '../../ports/erasure.ts';
import type { VectorIndex } from '../../ports/vector-index.ts';

/**
 * First from the index, and then once more, for what it was told meanwhile; in between from the store, which writes the
 * receipt. Fails before anything is removed from the store if the index cannot be reached: a receipt never makes a false
 * claim.
 */
export class IndexErasure implements Erasure {
  readonly #erasure: Erasure;
  readonly #index: VectorIndex;

  constructor(erasure: Erasure, index: VectorIndex) {
    this.#erasure = erasure;
    this.#index = index;
  }

  async eraseUser(principal: Principal, user: ErasedUser, work: ErasureWork): Promise<AuditEntry> {
    const { tenantId } = principal;
    const vectors = await this.#index.erase(tenantId, user.userId);
    const entry = await this.#erasure.eraseUser(principal, user, withVectors(work, vectors));
    await this.#index.erase(tenantId, user.userId);
    return entry;
  }

  async eraseTenant(principal: Principal, work: ErasureWork): Promise<AuditEntry> {
    const { tenantId } = principal;
    const vectors = await this.#index.erase(tenantId);
    const entry = await this.#erasure.eraseTenant(principal, withVectors(work, vectors));
    await this.#index.erase(tenantId);
    return entry;
  }

  async countUser(principal: Principal, user: ErasedUser): Promise<ErasureCounts> {
    const counts = await this.#erasure.countUser(principal, user);
    return plusVectors(counts, await this.#index.countOwned(principal.tenantId, user.userId));
  }

  async countTenant(principal: Principal): Promise<ErasureCounts> {
    const counts = await this.#erasure.countTenant(principal);
    return plusVectors(counts, await this.#index.countOwned(principal.tenantId));
  }
}

function withVectors(work: ErasureWork, vectors: number): ErasureWork {
  return { ...work, entryOf: (counts) => work.entryOf(plusVectors(counts, vectors)) };
}

function plusVectors(counts: ErasureCounts, vectors: number): ErasureCounts {
  return { ...counts, embeddings: counts.embeddings + vectors };
}
