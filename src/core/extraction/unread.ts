/** Whether a turn is still to be looked at by a language model, and may be. Pure. */

import type { Entry } from '../../domain/entry.ts';
import { mayBePromoted } from '../../domain/promotion.ts';

/** Turns with an expiry are not extracted. Turns that changed since are processed again. */
export function isUnread({ role, status, expiresAt, provenance, contentHash }: Entry): boolean {
  const isSpoken = role !== 'system' && status !== 'archived' && status !== 'quarantined' && expiresAt === undefined;
  return isSpoken && provenance?.extracted !== contentHash;
}

/** How many characters of it have been looked at. */
export function readUpTo({ content, contentHash, provenance }: Entry): number {
  const { extracted } = provenance ?? {};
  if (extracted === contentHash) return content.length;
  const [hash, upTo] = extracted?.split('@') ?? [];
  const read = hash === contentHash ? Number(upTo) : 0;
  return read < content.length ? read : 0;
}

/** What is written down of a turn that has been looked at that far. */
export function readMark({ content, contentHash }: Entry, upTo: number): string {
  return upTo >= content.length ? contentHash : `${contentHash}@${upTo}`;
}

/** Confidential and restricted turns are not sent to a model. */
export function mayBeShown(turn: Entry): boolean {
  return mayBePromoted(turn);
}
