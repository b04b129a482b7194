/** The observers of a Lamina: the given ones, else the program's own. */

import type { Telemetry, Tracing } from '../ports/telemetry.ts';
import { hostTelemetry, type HostTelemetry } from '../telemetry/host-telemetry.ts';
import { hostTracing } from '../telemetry/open-telemetry-tracing.ts';
import type { LaminaOptions } from './lamina-options.ts';

export interface Observers {
  readonly telemetry: Telemetry;
  readonly tracing: Tracing;
  /** Of the program, where nothing else was given. */
  readonly host: HostTelemetry | undefined;
}

const SILENT: Telemetry = { operationEnded: () => {} };

export function observersOf({ telemetry, tracing = hostTracing() }: LaminaOptions): Observers {
  const host = telemetry === undefined ? hostTelemetry() : undefined;
  return { telemetry: telemetry ?? host ?? SILENT, tracing, host };
}
