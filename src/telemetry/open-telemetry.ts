/** The metrics of a service: counted with OpenTelemetry, shown as Prometheus text. */

import { PrometheusExporter, PrometheusSerializer } from '@opentelemetry/exporter-prometheus';
import { MeterProvider } from '@opentelemetry/sdk-metrics';
import { addGauges, type GaugeSources } from './gauges.ts';
import { Instruments } from './instruments.ts';
import { meterTelemetry, type MeterTelemetry } from './meter-telemetry.ts';
import { addProcessGauges } from './process-gauges.ts';

export type OpenTelemetry = MeterTelemetry & {
  /** Every metric in the Prometheus text format (0.0.4). */
  metrics(): Promise<string>;
  shutdown(): Promise<void>;
};

/** A provider of its own, not the global one: two instances in one process do not count each other's work. */
export function createOpenTelemetry(sources: GaugeSources = {}): OpenTelemetry {
  const reader = new PrometheusExporter({ preventServerStart: true });
  const provider = new MeterProvider({ readers: [reader] });
  const instruments = new Instruments(provider.getMeter('lamina'));
  addGauges(instruments, sources);
  const stopMeasuring = addProcessGauges(instruments);
  const serializer = new PrometheusSerializer(undefined, false, undefined, true, true);
  return {
    ...meterTelemetry(instruments),
    metrics: async () => {
      const { resourceMetrics } = await reader.collect();
      return serializer.serialize(resourceMetrics);
    },
    shutdown: () => {
      stopMeasuring();
      return provider.shutdown();
    },
  };
}
