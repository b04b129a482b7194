/** When an entry was read: times without names. Who reads what is nobody's business but the reader's. */

/** So many are kept of each entry; accesses before them are counted and no more. */
export const MAX_ACCESS_TIMES = 20;

/** Accesses that were counted together. Times are milliseconds, newest first. */
export interface Accesses {
  readonly count: number;
  readonly at: number;
  readonly times: readonly number[];
}

export function accessAt(at: number): Accesses {
  return { count: 1, at, times: [at] };
}

export function addedAccesses(one: Accesses, other: Accesses): Accesses {
  const [older, newer] = one.at > other.at ? [other, one] : [one, other];
  const times = [...newer.times, ...older.times];
  // Mostly all of one came after all of the other.
  if ((newer.times.at(-1) ?? newer.at) < older.at) times.sort((a, b) => b - a);
  return { count: one.count + other.count, at: newer.at, times: times.slice(0, MAX_ACCESS_TIMES) };
}
