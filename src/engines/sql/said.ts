/** What a candidate's row says of an episode. */

import type { Said } from '../../ports/entry-store.ts';

export interface SaidColumns {
  /** Null of what is no episode. */
  readonly ending: string | null;
  readonly sessionId: string | null;
  readonly turn: number | null;
  readonly speaker: string | null;
}

export function saidOf({ ending, sessionId, turn, speaker }: SaidColumns): Said | undefined {
  if (ending === null) return undefined;
  return { ending, sessionId: sessionId ?? undefined, turn: turn ?? undefined, speaker: speaker ?? undefined };
}
