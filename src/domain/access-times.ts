/** When an entry was read. Only times are kept, not who read it. */

/** How many times are kept per entry; earlier accesses are only counted. */
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
  const times = newer.times.concat(older.times);
  // Usually one list is entirely newer than the other.
  if ((newer.times.at(-1) ?? newer.at) < older.at) times.sort((a, b) => b - a);
  return {
    count: one.count + other.count,
    at: newer.at,
    times: times.length > MAX_ACCESS_TIMES ? times.slice(0, MAX_ACCESS_TIMES) : times,
  };
}
