/**
 * Whose searches did not turn out as foreseen, because they name people who said something or look into conversations. Those that follow
 * are asked without foresight for a while, so that hardly a query is embedded in vain.
 */

import { LRUCache } from 'lru-cache';
import type { Principal } from '../../domain/principal.ts';

/** So many searches are then asked without. */
const UNFORESEEN = 32;

const MAX_KNOWN = 10_000;

export class Surprises {
  readonly #left = new LRUCache<string, number>({ max: MAX_KNOWN });

  /** Counts down: called once for a search. */
  areLikely(principal: Principal): boolean {
    const name = nameOf(principal);
    const left = this.#left.get(name);
    if (left === undefined) return false;
    if (left > 1) this.#left.set(name, left - 1);
    else this.#left.delete(name);
    return true;
  }

  note(principal: Principal): void {
    this.#left.set(nameOf(principal), UNFORESEEN);
  }
}

/** Ids of tenants are all of one length. */
function nameOf({ tenantId, userId }: Principal): string {
  return tenantId + userId;
}
