/**
 * The life of a memory as one state machine: created → active → updated / decayed → archived → deleted.
 *
 * Two of these words are moments, not statuses. A memory is *created* by its first version and active from then on; it is
 * *updated* by every version after the first, which leaves its status as it is. *decayed* is computed on read and never stored (see `decay.ts`), so that no row changes merely because time passes. *deleted* means no longer stored.
 */

import { LaminaError } from './error.ts';
import type { STATUSES } from './kind.ts';

export type Status = (typeof STATUSES)[number];

/**
 * The allowed transitions. A decayed memory becomes active when it is used, an archived one when it is restored (it does
 * not decay meanwhile), a quarantined one only by review; a deleted one never comes back.
 */
const MOVES: { readonly [From in Status]: readonly Status[] } = {
  active: ['decayed', 'archived', 'quarantined', 'deleted'],
  decayed: ['active', 'archived', 'quarantined', 'deleted'],
  archived: ['active', 'quarantined', 'deleted'],
  quarantined: ['active', 'deleted'],
  deleted: [],
};

/** Whether the transition is allowed; null stands for a new memory. A new version of the same status is an update. */
export function mayMove(from: Status | null, to: Status): boolean {
  if (from === null) return to === 'active' || to === 'quarantined';
  return from === to ? from !== 'deleted' : MOVES[from].includes(to);
}

/** Throws `VERSION_CONFLICT` for a transition that is not allowed. */
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
 * Every version must follow the stored one. Any other would be both in the history and current, and nothing could ever
 * follow it. Throws `VERSION_CONFLICT`.
 */
export function assertNextVersion(stored: number, next: number): void {
  if (next === stored + 1) return;
  throw new LaminaError('VERSION_CONFLICT', `Version ${next} cannot follow version ${stored} of a memory.`, {
    details: { currentVersion: stored },
  });
}
