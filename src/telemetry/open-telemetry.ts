/** Counts and times operations with OpenTelemetry, and shows the numbers as Prometheus text. */

import { PrometheusExporter, PrometheusSerializer } from '@opentelemetry/exporter-prometheus';
import { MeterProvider } from '@opentelemetry/sdk-metrics';
import type { Layer } from '../domain/scope.ts';
import type { Telemetry } from '../ports/telemetry.ts';

export interface OpenTelemetryOptions {
  /** How many memories there are, by layer. Asked whenever the metrics are read; if it fails the gauge is left out. */
  readonly storageSize?: () => Promise<Partial<Record<Layer, number>>>;
  /** Whether this process does the work that only one should do. */
  readonly isLeader?: () => boolean;
}

export interface OpenTelemetry extends Telemetry {
  /** Every metric in the Prometheus text format (0.0.4). */
  metrics(): Promise<string>;
  shutdown(): Promise<void>;
}

const LATENCY_BUCKETS_MS = [0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000];
const RESULT_BUCKETS = [0, 1, 2, 5, 10, 20, 50, 100];

/** A provider of its own, not the global one: two instances in one process do not count each other's work. */
export function createOpenTelemetry(options: OpenTelemetryOptions = {}): OpenTelemetry {
  const reader = new PrometheusExporter({ preventServerStart: true });
  const provider = new MeterProvider({ readers: [reader] });
  const operationEnded = recorder(provider, options);
  const serializer = new PrometheusSerializer(undefined, false, undefined, true, true);
  return {
    operationEnded,
    metrics: async () => {
      const { resourceMetrics } = await reader.collect();
      return serializer.serialize(resourceMetrics);
    },
    shutdown: () => provider.shutdown(),
  };
}

function recorder(
  provider: MeterProvider,
  { storageSize, isLeader }: OpenTelemetryOptions,
): Telemetry['operationEnded'] {
  const meter = provider.getMeter('lamina');
  // Prometheus knows no dots, so each description gives the metric's own name.
  const total = meter.createCounter('memory.operations.total', {
    description: 'memory.operations.total: operations, by operation.',
  });
  const errors = meter.createCounter('memory.operations.errors', {
    description: 'memory.operations.errors: failed operations, by operation and error code.',
  });
  const latency = meter.createHistogram('memory.operations.latency', {
    description: 'memory.operations.latency: how long operations took, in milliseconds.',
    unit: 'ms',
    advice: { explicitBucketBoundaries: LATENCY_BUCKETS_MS },
  });
  const results = meter.createHistogram('memory.search.results', {
    description: 'memory.search.results: how many results a search gave.',
    advice: { explicitBucketBoundaries: RESULT_BUCKETS },
  });
  const size = meter.createObservableGauge('memory.storage.size', {
    description: 'memory.storage.size: how many memories there are, by layer.',
  });
  if (storageSize) {
    size.addCallback(async (observed) => {
      for (const [layer, count] of Object.entries(await storageSize())) observed.observe(count, { layer });
    });
  }
  if (isLeader) {
    const description = 'lamina.leader: 1 where this process does the work that only one should do, else 0.';
    const leader = meter.createObservableGauge('lamina.leader', { description });
    leader.addCallback((observed) => observed.observe(isLeader() ? 1 : 0));
  }
  return (record) => {
    const { operation } = record;
    total.add(1, { operation });
    latency.record(record.durationMs, { operation });
    if (record.error) errors.add(1, { operation, code: record.error });
    if (operation === 'search' && record.results !== undefined) results.record(record.results);
  };
}
