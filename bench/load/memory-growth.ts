/** Whether a process holds more and more: a line through what it held over time. */

export interface Sample {
  /** Seconds. */
  readonly at: number;
  readonly bytes: number;
}

/** By how much the line rises from the first to the last sample, as a share of where it begins. NaN for fewer than three. */
export function growthOf(samples: readonly Sample[]): number {
  const [first, last] = [samples[0], samples.at(-1)];
  if (first === undefined || last === undefined || samples.length < 3) return Number.NaN;
  const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
  const [meanAt, meanBytes] = [mean(samples.map(({ at }) => at)), mean(samples.map(({ bytes }) => bytes))];
  const covariance = mean(samples.map(({ at, bytes }) => (at - meanAt) * (bytes - meanBytes)));
  const slope = covariance / mean(samples.map(({ at }) => (at - meanAt) ** 2));
  const begin = meanBytes - slope * (meanAt - first.at);
  return (slope * (last.at - first.at)) / begin;
}
