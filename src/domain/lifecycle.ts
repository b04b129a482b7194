/**
 * The life of a memory as one state machine: created → active → updated / decayed → archived → deleted.
 *
 * Two of these words are moments and no statuses. A memory is *created* by its first version and active from then on; it is
 * *updated* by every version after the first, which leaves its status as it is. *decayed* is told when it is read and not
 * written down (see `decay.ts`), so that no row changes merely because time passes. *deleted* is what is no longer there.
 */

import { LaminaError } from './error.ts';
import type { STATUSES } from './kind.ts';

export type Status = (typeof STATUSES)[number];

/**
 * Where a memory may go from each status. By rehearsal what is decayed becomes active again, by restoring what is archived;
 * what is archived does not fade, so that it comes back as active only; what is quarantined comes out by review only; and
 * nothing comes back that was deleted.
 */
const MOVES: { readonly [From in Status]: readonly Status[] } = {
  active: ['decayed', 'archived', 'quarantined', 'deleted'],
  decayed: ['active', 'archived', 'quarantined', 'deleted'],
  archived: ['active', 'quarantined', 'deleted'],
  quarantined: ['active', 'deleted'],
  deleted: [],
};

/** Whether it may be of this status next; null before is nothing. A new version of the same status is an update. */
export function mayMove(from: Status | null, to: Status): boolean {
  if (from === null) return to === 'active' || to === 'quarantined';
  return from === to ? from !== 'deleted' : MOVES[from].includes(to);
}

/** Throws `VERSION_CONFLICT` for a move that there is not. */
export function assertMove(from: Status | null, to: Status): void {
  if (mayMove(from, to)) return;
  const ways = from === null ? ['active', 'quarantined'] : MOVES[from];
  const is = from === null ? 'A new memory' : `A memory that is ${from}`;
  const hint = ways.length === 0 ? 'stays so' : `can become ${ways.join(', ')}`;
  throw new LaminaError('VERSION_CONFLICT', `${is} cannot become ${to}: it ${hint}.`, {
    details: { from, to, allowed: ways },
  });
}

/**
 * Every version follows the one that is stored. Any other would stand in the history and be the current one at once, and
 * nothing could ever follow it. Throws `VERSION_CONFLICT`.
 */
export function assertNextVersion(stored: number, next: number): void {
  if (next === stored + 1) return;
  throw new LaminaError('VERSION_CONFLICT', `Version ${next} cannot follow version ${stored} of a memory.`, {
    details: { currentVersion: stored },
  });
}
