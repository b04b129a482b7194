/** How memory fades. Computed when read, so that no row is rewritten merely because time passed. */

const MS_PER_DAY = 86_400_000;

/** Half of "new" is gone after a month: long enough not to bury what is merely older. */
export const RECENCY_HALF_LIFE_DAYS = 30;

/** The formula of the specification: `initial × (1 − rate × factor) ^ days`. Stays within 0 and `initial`. */
export function decayedRelevance(initial: number, ratePerDay: number, decayFactor: number, ageMs: number): number {
  const days = Math.max(0, ageMs) / MS_PER_DAY;
  return initial * (1 - ratePerDay * decayFactor) ** days;
}

/** 1 for what is new, 0.5 after one half-life, towards 0 for what is old. */
export function recency(ageMs: number, halfLifeDays: number): number {
  return 0.5 ** (Math.max(0, ageMs) / MS_PER_DAY / halfLifeDays);
}
