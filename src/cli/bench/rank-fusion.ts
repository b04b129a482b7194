/** Plain reciprocal rank fusion (Cormack et al., 2009): what most systems do with two lists of results. */

/** Of the paper. */
const OFFSET = 60;

/** Best first; what ties stands as in the earlier list. */
export function fuseRanks(lists: readonly (readonly string[])[]): string[] {
  const sums = new Map<string, number>();
  for (const list of lists) {
    for (const [place, id] of list.entries()) sums.set(id, (sums.get(id) ?? 0) + 1 / (OFFSET + place + 1));
  }
  return [...sums].toSorted(([, a], [, b]) => b - a).map(([id]) => id);
}
