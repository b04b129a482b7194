/** A really listening server over the in-memory core, and a `fetch` that starts at its root. */

import { onTestFinished } from 'vitest';
import { followOn, invokeOn } from '../../src/operations/invoke.ts';
import type { HealthReport } from '../../src/domain/health.ts';
import { createServer } from '../../src/server/create-server.ts';
import type { ServerDependencies } from '../../src/server/dependencies.ts';
import { createOpenTelemetry } from '../../src/telemetry/open-telemetry.ts';
import { caller, type Call } from '../http-caller.ts';
import { coreOf, InMemoryCore } from './in-memory-core.ts';

export interface RunningServer {
  readonly url: string;
  readonly core: InMemoryCore;
  readonly logLines: string[];
  readonly call: Call;
  close(): Promise<void>;
}

export const HEALTHY: HealthReport = {
  status: 'healthy',
  latencyMs: 1,
  components: { storage: { status: 'healthy' } },
};

/** Closed when the test ends. */
export async function startServer(overrides: Partial<ServerDependencies> = {}, port = 0): Promise<RunningServer> {
  const core = new InMemoryCore();
  const logLines: string[] = [];
  const telemetry = createOpenTelemetry({ storageSize: async () => ({ user: core.stored.size }) });
  const server = createServer({
    invokeAs: (principal) => invokeOn(coreOf(core), principal, telemetry),
    followAs: (principal) => followOn(coreOf(core), principal, telemetry),
    health: async () => HEALTHY,
    metrics: () => telemetry.metrics(),
    version: '1.2.3',
    logger: { level: 'info', stream: { write: (line) => void logLines.push(line) } },
    // Nobody here asks for more once it ends.
    lastRequestsMs: 0,
    ...overrides,
    // A machine that is busy with other tests is no reason to turn requests away.
    limits: { loopDelayMs: 0, ...overrides.limits },
  });
  const url = await server.listen({ host: '127.0.0.1', port });
  onTestFinished(async () => {
    await server.close();
    await telemetry.shutdown();
  });
  return { url, core, logLines, call: caller(url), close: () => server.close() };
}
