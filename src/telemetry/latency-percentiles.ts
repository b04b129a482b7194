/** What a histogram of latencies tells people: how many, and how long most of them took. Pure. */

import type { Histogram } from '@opentelemetry/sdk-metrics';
import type { Rates } from '../domain/vitals.ts';

export interface Latencies {
  readonly boundaries: readonly number[];
  /** One more than there are boundaries: the last is of what took longer. */
  readonly counts: readonly number[];
  readonly min: number;
  readonly max: number;
}

export function latenciesOf({ buckets, min = 0, max }: Histogram): Latencies {
  const { boundaries, counts } = buckets;
  return { boundaries: [...boundaries], counts: [...counts], min, max: max ?? boundaries.at(-1) ?? 0 };
}

/** What came after an earlier reading of the same histogram. */
export function since(now: Latencies, before: Latencies | undefined): Latencies {
  if (before === undefined) return now;
  return { ...now, counts: now.counts.map((count, index) => count - (before.counts[index] ?? 0)) };
}

export function ratesOf(latencies: Latencies | undefined, errors: number, seconds: number): Rates {
  const count = latencies?.counts.reduce((sum, each) => sum + each, 0) ?? 0;
  const perSecond = seconds > 0 ? rounded(count / seconds) : 0;
  if (latencies === undefined || count === 0) return { count, errors, perSecond };
  const at = (share: number): number => rounded(percentile(latencies, count * share));
  return { count, errors, perSecond, p50Ms: at(0.5), p95Ms: at(0.95), p99Ms: at(0.99) };
}

/** Within a bucket they are taken to lie evenly. */
function percentile({ boundaries, counts, min, max }: Latencies, rank: number): number {
  let below = 0;
  for (const [index, count] of counts.entries()) {
    if (count > 0 && below + count >= rank) {
      const low = Math.max(min, boundaries[index - 1] ?? 0);
      const high = Math.min(max, boundaries[index] ?? max);
      return Math.max(low, low + ((high - low) * (rank - below)) / count);
    }
    below += count;
  }
  return max;
}

function rounded(value: number): number {
  return Math.round(value * 1000) / 1000;
}
