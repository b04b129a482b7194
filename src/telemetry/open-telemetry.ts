/** The metrics of a service: counted with OpenTelemetry, shown as Prometheus text. */

import { PrometheusExporter, PrometheusSerializer } from '@opentelemetry/exporter-prometheus';
import { MeterProvider } from '@opentelemetry/sdk-metrics';
import type { MeasuredVitals } from '../domain/vitals.ts';
import { addGauges, type GaugeSources } from './gauges.ts';
import { Instruments } from './instruments.ts';
import { meterTelemetry, type MeterTelemetry } from './meter-telemetry.ts';
import { vitalsMeter } from './measured-vitals.ts';
import { addProcessGauges } from './process-gauges.ts';

export type OpenTelemetry = MeterTelemetry & {
  /** Every metric in the Prometheus text format (0.0.4). */
  metrics(): Promise<string>;
  /** The same for people. */
  vitals(): Promise<MeasuredVitals>;
  shutdown(): Promise<void>;
};

/** A provider of its own, not the global one: two instances in one process do not count each other's work. */
export function createOpenTelemetry(sources: GaugeSources = {}): OpenTelemetry {
  const reader = new PrometheusExporter({ preventServerStart: true });
  const provider = new MeterProvider({ readers: [reader] });
  const instruments = new Instruments(provider.getMeter('lamina'));
  // Whoever looks at operations alone neither has anything counted nor takes readings away from others.
  let isGlance = false;
  addGauges(instruments, sources, () => isGlance);
  const stopMeasuring = addProcessGauges(instruments, () => isGlance);
  const serializer = new PrometheusSerializer(undefined, false, undefined, true, true);
  const meter = vitalsMeter(async () => {
    isGlance = true;
    try {
      const { resourceMetrics } = await reader.collect();
      return resourceMetrics.scopeMetrics.flatMap(({ metrics }) => metrics);
    } finally {
      isGlance = false;
    }
  });
  return {
    ...meterTelemetry(instruments),
    vitals: () => meter.read(),
    metrics: async () => {
      const { resourceMetrics } = await reader.collect();
      return serializer.serialize(resourceMetrics);
    },
    shutdown: () => {
      meter.stop();
      stopMeasuring();
      return provider.shutdown();
    },
  };
}
