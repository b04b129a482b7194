/** How much of what searches find stays the same under another model: of the first ten results, how many are in both. */

import type { Principal } from '../../domain/principal.ts';
import type { SearchInput } from '../../domain/recall.ts';

/** A search, and in whose name. */
export interface Asking {
  readonly principal: Principal;
  readonly input: SearchInput;
}

/** The ids of what it finds, the best first. */
export type Ask = (asking: Asking) => Promise<readonly string[]>;

export interface RecallOverlap {
  /** How many searches were asked. */
  readonly queries: number;
  /** 0 to 1: the mean share of the first ten that both have; null where nothing was asked. */
  readonly overlapAt10: number | null;
}

export const OVERLAP_AT = 10;

export async function recallOverlap(askings: readonly Asking[], before: Ask, after: Ask): Promise<RecallOverlap> {
  let sum = 0;
  for (const asking of askings) sum += sharedOf(await before(asking), await after(asking));
  return { queries: askings.length, overlapAt10: askings.length === 0 ? null : sum / askings.length };
}

function sharedOf(before: readonly string[], after: readonly string[]): number {
  const most = Math.max(before.length, after.length);
  return most === 0 ? 1 : before.filter((id) => after.includes(id)).length / most;
}
