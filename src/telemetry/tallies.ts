/** Counters and histograms as plain numbers, read as metrics when asked for: each record by OpenTelemetry's own takes as long as a small request. */

import { ValueType, type Attributes, type Counter, type Histogram, type HrTime } from '@opentelemetry/api';
import {
  AggregationTemporality,
  DataPointType,
  type MetricData,
  type MetricDescriptor,
} from '@opentelemetry/sdk-metrics';

/** What a metric is called and means. */
type Naming = Pick<MetricDescriptor, 'name' | 'description'> & { readonly unit?: string };

export type CountTally = Pick<Counter, 'add'>;
export type HistogramTally = Pick<Histogram, 'record'>;

interface Labelled<Value> {
  readonly attributes: Attributes;
  value: Value;
}

interface Distribution {
  readonly counts: number[];
  sum: number;
  count: number;
  min: number;
  max: number;
}

/** By the values of the labels: of one metric these always have the same names, in the same order. */
class ByLabels<Value> {
  readonly #all = new Map<string, Labelled<Value>>();
  readonly #first: () => Value;

  constructor(first: () => Value) {
    this.#first = first;
  }

  of(attributes: Attributes): Labelled<Value> {
    let key = '';
    // Of one label it is the value itself, which is not put together anew each time.
    for (const name in attributes) key = key === '' ? String(attributes[name]) : `${key}\n${String(attributes[name])}`;
    let labelled = this.#all.get(key);
    if (labelled === undefined) {
      labelled = { attributes: { ...attributes }, value: this.#first() };
      this.#all.set(key, labelled);
    }
    return labelled;
  }

  get size(): number {
    return this.#all.size;
  }

  points<T>(startTime: HrTime, read: (value: Value) => T): PointOf<T>[] {
    const endTime = hrTime();
    return [...this.#all.values()].map(({ attributes, value }) => ({
      startTime,
      endTime,
      attributes,
      value: read(value),
    }));
  }
}

interface PointOf<T> {
  readonly startTime: HrTime;
  readonly endTime: HrTime;
  readonly attributes: Attributes;
  readonly value: T;
}

const NONE: Attributes = {};

export class Tallies {
  readonly #startTime = hrTime();
  readonly #readers: (() => MetricData | undefined)[] = [];

  counter(naming: Naming): CountTally {
    const counts = new ByLabels(() => 0);
    const common = { descriptor: descriptorOf(naming), aggregationTemporality: AggregationTemporality.CUMULATIVE };
    this.#readers.push(() => {
      if (counts.size === 0) return undefined;
      const dataPoints = counts.points(this.#startTime, (value) => value);
      return { ...common, dataPointType: DataPointType.SUM, isMonotonic: true, dataPoints };
    });
    return {
      add: (value, attributes = NONE) => {
        counts.of(attributes).value += value;
      },
    };
  }

  /** A value that is equal to a boundary is below it. */
  histogram(naming: Naming, boundaries: readonly number[]): HistogramTally {
    const distributions = new ByLabels(() => emptyDistribution(boundaries.length + 1));
    const common = { descriptor: descriptorOf(naming), aggregationTemporality: AggregationTemporality.CUMULATIVE };
    this.#readers.push(() => {
      if (distributions.size === 0) return undefined;
      const dataPoints = distributions.points(this.#startTime, ({ counts, ...rest }) => ({
        ...rest,
        buckets: { boundaries: [...boundaries], counts: [...counts] },
      }));
      return { ...common, dataPointType: DataPointType.HISTOGRAM, dataPoints };
    });
    return { record: (value, attributes = NONE) => note(distributions.of(attributes).value, boundaries, value) };
  }

  /** Those of which something was told. */
  read(): MetricData[] {
    return this.#readers.flatMap((read) => read() ?? []);
  }
}

function descriptorOf({ name, description, unit = '' }: Naming): MetricDescriptor {
  return { name, description, unit, valueType: ValueType.DOUBLE };
}

function emptyDistribution(buckets: number): Distribution {
  const counts = Array.from({ length: buckets }, () => 0);
  return { counts, sum: 0, count: 0, min: Number.POSITIVE_INFINITY, max: Number.NEGATIVE_INFINITY };
}

function note(to: Distribution, boundaries: readonly number[], value: number): void {
  let bucket = 0;
  while (value > (boundaries[bucket] ?? Number.POSITIVE_INFINITY)) bucket += 1;
  to.counts[bucket] = (to.counts[bucket] ?? 0) + 1;
  to.sum += value;
  to.count += 1;
  if (value < to.min) to.min = value;
  if (value > to.max) to.max = value;
}

/** Now, as OpenTelemetry spells it: seconds and nanoseconds. */
function hrTime(): HrTime {
  const now = Date.now();
  return [Math.floor(now / 1000), (now % 1000) * 1e6];
}
