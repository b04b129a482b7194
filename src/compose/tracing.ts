/** Where the traces of the service go, as it is configured. */

import type { OpenTelemetryTracing } from '../telemetry/open-telemetry-tracing.ts';
import { hostTracing } from '../telemetry/open-telemetry-tracing.ts';
import type { Configuration } from './configuration.ts';

export interface ServiceTracing {
  readonly tracing: OpenTelemetryTracing;
  close(): Promise<void>;
}

/**
 * A tracer that the process has registered already (`node --import …`) wins, so that nothing is sent twice. Throws
 * `CONFIGURATION_ERROR` when what is needed to send traces is not installed.
 */
export async function openTracing(
  { otlpUrl, traceRatio }: Pick<Configuration, 'otlpUrl' | 'traceRatio'>,
  version: string,
): Promise<ServiceTracing> {
  const tracing = hostTracing();
  if (otlpUrl === undefined || otlpUrl === 'off' || tracing.isOn) return { tracing, close: async () => {} };
  const { openOtlpTracing } = await import('../telemetry/otlp-tracing.ts');
  return openOtlpTracing({ url: otlpUrl, ratio: traceRatio, version });
}
