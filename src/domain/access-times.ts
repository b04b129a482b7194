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
  const times = [...one.times, ...other.times].toSorted((a, b) => b - a).slice(0, MAX_ACCESS_TIMES);
  return { count: one.count + other.count, at: Math.max(one.at, other.at), times };
}
