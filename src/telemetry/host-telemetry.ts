/** Counts with the meter of the program that Lamina is embedded in, where it has registered one. */

import { createNoopMeter, metrics } from '@opentelemetry/api';
import type { Telemetry } from '../ports/telemetry.ts';
import { addGauges, type GaugeSources } from './gauges.ts';
import { Instruments } from './instruments.ts';
import { meterTelemetry } from './meter-telemetry.ts';

export interface HostTelemetry extends Telemetry {
  /** Asks these whenever the program reads its metrics, until it is closed. */
  watch(sources: GaugeSources): void;
  close(): void;
}

/** Undefined where the program has no meter provider yet: it has to be registered before. */
export function hostTelemetry(): HostTelemetry | undefined {
  const meter = metrics.getMeter('lamina');
  if (meter === createNoopMeter()) return undefined;
  const instruments = new Instruments(meter);
  return {
    ...meterTelemetry(instruments),
    watch: (sources) => addGauges(instruments, sources),
    close: () => instruments.stop(),
  };
}
