/** Whether a turn is still to be looked at by a language model, and may be. Pure. */

import type { Entry } from '../../domain/entry.ts';
import { mayBePromoted } from '../../domain/promotion.ts';

/** What is going to expire is not kept in other words. What was changed since is looked at again. */
export function isUnread({ role, status, expiresAt, provenance, contentHash }: Entry): boolean {
  const isSpoken = role !== 'system' && status !== 'archived' && expiresAt === undefined;
  return isSpoken && provenance?.extracted !== contentHash;
}

/** What is confidential or restricted does not leave the house. */
export function mayBeShown(turn: Entry): boolean {
  return mayBePromoted(turn);
}
