/** What the metrics tell people: operations, since the start and lately, and how late the event loop is. */

import { monitorEventLoopDelay } from 'node:perf_hooks';
import { DataPointType, type MetricData } from '@opentelemetry/sdk-metrics';
import type { MeasuredVitals } from '../domain/vitals.ts';
import { latenciesOf, ratesOf, since, type Latencies } from './latency-percentiles.ts';
import type { MetricName } from './metrics.ts';

/** How often the metrics are read, so that there is something to compare with; and how many readings are kept. */
const TICK_MS = 30_000;
const MAX_READINGS = 10;

const RESOLUTION_MS = 20;
const NANOSECONDS_PER_MS = 1e6;

interface Reading {
  /** Of the clock that only goes forward. */
  readonly at: number;
  readonly latencies: ReadonlyMap<string, Latencies>;
  readonly errors: MeasuredVitals['errors'];
}

export interface VitalsMeter {
  read(): Promise<MeasuredVitals>;
  stop(): void;
}

/** `collect` reads the metrics. The timer holds nobody up. */
export function vitalsMeter(collect: () => Promise<readonly MetricData[]>): VitalsMeter {
  const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delays.enable();
  const start: Reading = { at: performance.now(), latencies: new Map(), errors: [] };
  const readings = [start];
  const take = async (): Promise<Reading> => readingOf(await collect());
  const tick = async (): Promise<void> => {
    readings.push(await take());
    if (readings.length > MAX_READINGS) readings.shift();
    delays.reset();
  };
  // What cannot be read now is read the next time.
  const timer = setInterval(() => void tick().catch(() => {}), TICK_MS).unref();
  return {
    read: async () => ({
      ...comparison(await take(), start, readings[0] ?? start),
      eventLoopDelayMs: latenessOf(delays),
    }),
    stop: () => {
      clearInterval(timer);
      delays.disable();
    },
  };
}

function readingOf(metrics: readonly MetricData[]): Reading {
  const latencies = new Map<string, Latencies>();
  let errors: MeasuredVitals['errors'] = [];
  for (const metric of metrics) {
    const name = metric.descriptor.name as MetricName;
    if (name === 'memory.operations.latency' && metric.dataPointType === DataPointType.HISTOGRAM) {
      for (const { attributes, value } of metric.dataPoints) {
        latencies.set(String(attributes['operation']), latenciesOf(value));
      }
    }
    if (name === 'memory.operations.errors' && metric.dataPointType === DataPointType.SUM) {
      errors = metric.dataPoints.map(({ attributes, value }) => ({
        operation: String(attributes['operation']),
        code: String(attributes['code']),
        count: value,
      }));
    }
  }
  return { at: performance.now(), latencies, errors };
}

function comparison(now: Reading, start: Reading, before: Reading): Omit<MeasuredVitals, 'eventLoopDelayMs'> {
  const windowSeconds = (now.at - before.at) / 1000;
  const operations = [...now.latencies].map(([operation, latencies]) => {
    const failed = failuresOf(now, operation);
    return {
      operation,
      total: ratesOf(latencies, failed, (now.at - start.at) / 1000),
      recent: ratesOf(
        since(latencies, before.latencies.get(operation)),
        failed - failuresOf(before, operation),
        windowSeconds,
      ),
    };
  });
  return {
    windowSeconds: Math.round(windowSeconds * 10) / 10,
    operations: operations.toSorted((a, b) => b.total.count - a.total.count || (a.operation < b.operation ? -1 : 1)),
    errors: now.errors.toSorted((a, b) => b.count - a.count),
  };
}

function failuresOf({ errors }: Reading, operation: string): number {
  return errors.reduce((sum, each) => (each.operation === operation ? sum + each.count : sum), 0);
}

/** Beyond the resolution of the timer by which it is measured, since the last tick. */
function latenessOf(delays: ReturnType<typeof monitorEventLoopDelay>): MeasuredVitals['eventLoopDelayMs'] {
  const late = (nanoseconds: number): number =>
    Number.isFinite(nanoseconds) ? Math.max(0, nanoseconds / NANOSECONDS_PER_MS - RESOLUTION_MS) : 0;
  return { mean: late(delays.mean), p99: late(delays.percentile(99)), max: late(delays.max) };
}
