/** The vital signs of this process: telemetry counts, machine figures, and the health of its parts. */

import type { HealthReport } from '../domain/health.ts';
import type { VitalsOutput } from '../domain/vitals.ts';
import type { Telemetry } from '../ports/telemetry.ts';

const MICROSECONDS = 1e6;

/** `health` is asked of what is opened by then. */
export function vitalsOf(
  telemetry: Telemetry,
  opened: () => { health(): Promise<HealthReport> } | undefined,
): () => Promise<VitalsOutput> {
  const startedAt = new Date().toISOString();
  const start = performance.now();
  return async () => {
    const [measured, health] = await Promise.all([telemetry.vitals?.(), opened()?.health()]);
    const { rss, heapUsed, external } = process.memoryUsage();
    const { user, system } = process.cpuUsage();
    return {
      startedAt,
      uptimeSeconds: Math.round((performance.now() - start) / 100) / 10,
      isMeasured: measured !== undefined,
      windowSeconds: measured?.windowSeconds ?? 0,
      operations: measured?.operations ?? [],
      errors: measured?.errors ?? [],
      process: {
        rssBytes: rss,
        heapBytes: heapUsed,
        externalBytes: external,
        cpuSeconds: (user + system) / MICROSECONDS,
        ...(measured && { eventLoopDelayMs: measured.eventLoopDelayMs }),
      },
      health: health ?? { status: 'unhealthy', latencyMs: 0, components: {} },
    };
  };
}
