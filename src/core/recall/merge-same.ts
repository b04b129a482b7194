/** Merging results so that nothing is hidden by what looks alike and says something else. */

import type { Principal } from '../../domain/principal.ts';
import type { Dependencies } from '../dependencies.ts';
import { standsFor } from '../lifecycle/stands-for.ts';
import type { Found } from './found.ts';
import { merge, type Merged, type Rank } from './merge.ts';

/** Contents are read only where something would be hidden that is not word for word there already. */
export async function mergeSame(
  { entries, lifecycle }: Dependencies,
  principal: Principal,
  window: readonly Found[],
  rank: Rank,
  limit: number,
  alike: (a: Found, b: Found) => number,
): Promise<Merged<Found>> {
  const byLikeness = merge(window, rank, limit, alike);
  if (byLikeness.overridden.every(({ result, by }) => result.contentHash === by.contentHash)) return byLikeness;
  const ids = window.filter(({ past }) => past === undefined).map(({ id }) => id);
  const found = await entries.find(principal, ids);
  const former = window.flatMap(({ past }) => (past ? [past.former] : []));
  const contents = new Map([...found, ...former].map(({ id, content }) => [id, content]));
  return merge(window, rank, limit, (a, b) => {
    const likeness = alike(a, b);
    const [ours, theirs] = [contents.get(a.id), contents.get(b.id)];
    if (likeness === 0 || ours === undefined || theirs === undefined) return 0;
    return standsFor(lifecycle.deduplication, ours, theirs) ? likeness : 0;
  });
}
