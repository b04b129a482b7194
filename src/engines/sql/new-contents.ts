/**
 * Who adds what is new, time after time. The next of theirs is written without a look at what is there before the transaction: should
 * that meet something, then it is looked for, and for a while before each write.
 */

import { LRUCache } from 'lru-cache';
import type { Principal } from '../../domain/principal.ts';
import type { Identity } from '../../ports/entry-store.ts';

/** Who repeats something is not told in vain to embed it more often than once in so many writes. */
const ENOUGH_IN_A_ROW = 32;

const MAX_KNOWN = 10_000;

export class NewContents {
  /** How many were new, one after another. */
  readonly #inARow = new LRUCache<string, number>({ max: MAX_KNOWN });

  /** Only for one content: whoever brings many, or calls them by names, is likely to bring them again. */
  areExpected(principal: Principal, identities: readonly Identity[]): boolean {
    const [first, ...more] = identities;
    if (first === undefined || more.length > 0 || !isContentOnly(first)) return false;
    return (this.#inARow.get(nameOf(principal)) ?? 0) >= ENOUGH_IN_A_ROW;
  }

  /** What was looked for, and whether nothing was found. */
  note(principal: Principal, identities: readonly Identity[], areNew: boolean): void {
    if (!identities.some(isContentOnly)) return;
    const name = nameOf(principal);
    this.#inARow.set(name, areNew ? (this.#inARow.get(name) ?? 0) + 1 : 0);
  }
}

function isContentOnly({ id, externalId, contentHash }: Identity): boolean {
  return id === undefined && externalId === undefined && contentHash !== undefined;
}

/** Ids of tenants are all of one length. */
function nameOf({ tenantId, userId }: Principal): string {
  return tenantId + userId;
}
