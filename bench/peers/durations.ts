/** Durations of calls, and what stands in the table for them. */

export interface Percentiles {
  readonly calls: number;
  readonly p50: number;
  readonly p95: number;
}

export async function timed(work: () => unknown): Promise<number> {
  const started = performance.now();
  const result = work();
  // Awaiting nothing would make a synchronous peer pay for a promise that it does not need.
  if (result instanceof Promise) await result;
  return performance.now() - started;
}

/** In milliseconds. */
export function percentilesOf(durations: readonly number[]): Percentiles {
  const sorted = durations.toSorted((a, b) => a - b);
  const at = (share: number): number => sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN;
  return { calls: sorted.length, p50: at(0.5), p95: at(0.95) };
}
