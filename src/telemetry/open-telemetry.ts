/** The metrics of a service: counted with OpenTelemetry, shown as Prometheus text. */

import { PrometheusExporter, PrometheusSerializer } from '@opentelemetry/exporter-prometheus';
import { MeterProvider, type ResourceMetrics } from '@opentelemetry/sdk-metrics';
import type { MeasuredVitals } from '../domain/vitals.ts';
import { addGauges, type GaugeSources } from './gauges.ts';
import { Instruments } from './instruments.ts';
import { meterTelemetry, type MeterTelemetry } from './meter-telemetry.ts';
import { vitalsMeter } from './measured-vitals.ts';
import { addProcessGauges } from './process-gauges.ts';
import { Tallies } from './tallies.ts';

export type OpenTelemetry = MeterTelemetry & {
  /** Every metric in the Prometheus text format (0.0.4). */
  metrics(): Promise<string>;
  /** The same for people. */
  vitals(): Promise<MeasuredVitals>;
  shutdown(): Promise<void>;
};

const SCOPE = { name: 'lamina' } as const;

/** A provider of its own, not the global one: two instances in one process do not count each other's work. */
export function createOpenTelemetry(sources: GaugeSources = {}): OpenTelemetry {
  const reader = new PrometheusExporter({ preventServerStart: true });
  const provider = new MeterProvider({ readers: [reader] });
  const tallies = new Tallies();
  const instruments = new Instruments(provider.getMeter(SCOPE.name), tallies);
  const collect = async (): Promise<ResourceMetrics> => {
    const { resourceMetrics } = await reader.collect();
    const own = { scope: SCOPE, metrics: tallies.read() };
    return { ...resourceMetrics, scopeMetrics: [...resourceMetrics.scopeMetrics, own] };
  };
  // Whoever looks at operations alone neither has anything counted nor takes readings away from others.
  let isGlance = false;
  addGauges(instruments, sources, () => isGlance);
  const stopMeasuring = addProcessGauges(instruments, () => isGlance);
  const serializer = new PrometheusSerializer(undefined, false, undefined, true, true);
  const meter = vitalsMeter(async () => {
    isGlance = true;
    try {
      const { scopeMetrics } = await collect();
      return scopeMetrics.flatMap(({ metrics }) => metrics);
    } finally {
      isGlance = false;
    }
  });
  return {
    ...meterTelemetry(instruments),
    vitals: () => meter.read(),
    metrics: async () => serializer.serialize(await collect()),
    shutdown: () => {
      meter.stop();
      stopMeasuring();
      return provider.shutdown();
    },
  };
}
