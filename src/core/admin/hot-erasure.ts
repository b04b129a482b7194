/** Erasing if part of the state is in a separate hot store. */

import type { AuditEntry } from '../../domain/audit.ts';
import type { ErasureCounts } from '../../domain/erasure.ts';
import { INBOX_PREFIX, personalPrefixes, sentPrefix } from '../../domain/namespace.ts';
import type { Principal } from '../../domain/principal.ts';
import type { ErasedUser, Erasure, ErasureWork } from '../../ports/erasure.ts';
import type { HotStore, StateSelection } from '../../ports/hot-store.ts';

/**
 * First from the hot store, because the database knows which plans were the user's, and writes the receipt; then once more,
 * for what was written meanwhile. Fails before anything is removed if the hot store cannot be reached.
 */
export class HotErasure implements Erasure {
  readonly #erasure: Erasure;
  readonly #hot: HotStore;

  constructor(erasure: Erasure, hot: HotStore) {
    this.#erasure = erasure;
    this.#hot = hot;
  }

  async eraseUser(principal: Principal, user: ErasedUser, work: ErasureWork): Promise<AuditEntry> {
    const { tenantId } = principal;
    const asked = new AskedUser(user);
    await this.#erasure.countUser(principal, asked.user);
    const state = await this.#hot.eraseIn(tenantId, asked.selection());
    const entry = await this.#erasure.eraseUser(principal, asked.user, withState(work, state));
    await this.#hot.eraseIn(tenantId, asked.selection());
    return entry;
  }

  async eraseTenant(principal: Principal, work: ErasureWork): Promise<AuditEntry> {
    const state = await this.#hot.eraseTenant(principal.tenantId);
    const entry = await this.#erasure.eraseTenant(principal, withState(work, state));
    await this.#hot.eraseTenant(principal.tenantId);
    return entry;
  }

  async countUser(principal: Principal, user: ErasedUser): Promise<ErasureCounts> {
    const asked = new AskedUser(user);
    const counts = await this.#erasure.countUser(principal, asked.user);
    return plusState(counts, await this.#hot.countIn(principal.tenantId, asked.selection()));
  }

  async countTenant(principal: Principal): Promise<ErasureCounts> {
    const counts = await this.#erasure.countTenant(principal);
    return plusState(counts, await this.#hot.countTenant(principal.tenantId));
  }
}

/** Records which plans the database considers the user's: it asks for the namespace of each. */
class AskedUser {
  readonly user: ErasedUser;
  readonly #namespaces = new Set<string>();

  constructor(user: ErasedUser) {
    const namespaceOfPlan = (planId: string): string => {
      const namespace = user.namespaceOfPlan(planId);
      this.#namespaces.add(namespace);
      return namespace;
    };
    this.user = { ...user, namespaceOfPlan };
  }

  selection(): StateSelection {
    const { userId } = this.user;
    return {
      namespaces: [...this.#namespaces],
      prefixes: personalPrefixes(userId),
      within: { prefix: INBOX_PREFIX, keyPrefix: sentPrefix(userId) },
    };
  }
}

function withState(work: ErasureWork, state: number): ErasureWork {
  return { ...work, entryOf: (counts) => work.entryOf(plusState(counts, state)) };
}

function plusState(counts: ErasureCounts, state: number): ErasureCounts {
  return { ...counts, state: counts.state + state };
}
