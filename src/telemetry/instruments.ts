/** Registers metrics of the table with a meter. */

import type { Meter, Observable, ObservableResult, UpDownCounter } from '@opentelemetry/api';
import { METRICS, type Metric, type MetricName } from './metrics.ts';
import type { CountTally, HistogramTally, Tallies } from './tallies.ts';

type Typed<Type extends Metric['type']> = {
  [Name in MetricName]: (typeof METRICS)[Name]['type'] extends Type ? Name : never;
}[MetricName];

function optionsOf(name: MetricName): { description: string; unit?: string } {
  const { description, unit }: Metric = METRICS[name];
  // Prometheus knows no dots, so each description gives the metric's own name.
  return { description: `${name}: ${description}`, ...(unit !== undefined && { unit }) };
}

export class Instruments {
  readonly #meter: Meter;
  readonly #tallies: Tallies | undefined;
  readonly #stops: (() => void)[] = [];

  /** With `tallies`, these keep what would be recorded again and again. */
  constructor(meter: Meter, tallies?: Tallies) {
    this.#meter = meter;
    this.#tallies = tallies;
  }

  counter(name: Typed<'counter'>): CountTally {
    return this.#tallies?.counter({ name, ...optionsOf(name) }) ?? this.#meter.createCounter(name, optionsOf(name));
  }

  histogram(name: Typed<'histogram'>): HistogramTally {
    const { buckets }: Metric = METRICS[name];
    if (this.#tallies) return this.#tallies.histogram({ name, ...optionsOf(name) }, buckets ?? []);
    return this.#meter.createHistogram(name, {
      ...optionsOf(name),
      ...(buckets && { advice: { explicitBucketBoundaries: [...buckets] } }),
    });
  }

  /** A gauge that is told of changes. */
  level(name: Typed<'gauge'>): UpDownCounter {
    return this.#meter.createUpDownCounter(name, optionsOf(name));
  }

  /** A gauge whose value is asked for when the metrics are read. Should that fail, it is left out. */
  gauge(name: Typed<'gauge'>, observe: (observed: ObservableResult) => void | Promise<void>): void {
    this.#observe(this.#meter.createObservableGauge(name, optionsOf(name)), observe);
  }

  /** The same for what only grows. */
  growing(name: Typed<'counter'>, observe: (observed: ObservableResult) => void): void {
    this.#observe(this.#meter.createObservableCounter(name, optionsOf(name)), observe);
  }

  /** Nothing is asked for any more. */
  stop(): void {
    for (const stop of this.#stops.splice(0)) stop();
  }

  #observe(instrument: Observable, observe: (observed: ObservableResult) => void | Promise<void>): void {
    instrument.addCallback(observe);
    this.#stops.push(() => instrument.removeCallback(observe));
  }
}
