/** Times of rows as texts. A search shows dozens of entries with several times each, and mostly those of the search before. */

/** Then it begins anew. */
const MOST_TIMES = 16_384;

const times = new Map<number, string>();

/** Of milliseconds since the epoch. */
export function isoOf(time: number): string {
  const known = times.get(time);
  if (known !== undefined) return known;
  if (times.size >= MOST_TIMES) times.clear();
  const iso = new Date(time).toISOString();
  times.set(time, iso);
  return iso;
}
