/** A really listening server over the in-memory core, and a `fetch` that starts at its root. */

import { onTestFinished } from 'vitest';
import { invokeOn } from '../../src/operations/invoke.ts';
import type { HealthReport } from '../../src/domain/health.ts';
import { createServer } from '../../src/server/create-server.ts';
import type { ServerDependencies } from '../../src/server/dependencies.ts';
import { createOpenTelemetry } from '../../src/telemetry/open-telemetry.ts';
import { coreOf, InMemoryCore } from './in-memory-core.ts';

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The body as JSON, or undefined. */
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly json: any;
}

export interface RunningServer {
  readonly url: string;
  readonly core: InMemoryCore;
  readonly logLines: string[];
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
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
    health: async () => HEALTHY,
    metrics: () => telemetry.metrics(),
    version: '1.2.3',
    logger: { level: 'info', stream: { write: (line) => void logLines.push(line) } },
    ...overrides,
  });
  const url = await server.listen({ host: '127.0.0.1', port });
  onTestFinished(async () => {
    await server.close();
    await telemetry.shutdown();
  });
  return {
    url,
    core,
    logLines,
    close: () => server.close(),
    call: async (method, path, body, headers) => {
      const isRaw = typeof body === 'string' || body instanceof Uint8Array;
      const response = await fetch(url + path, {
        method,
        headers: { ...(body !== undefined && { 'Content-Type': 'application/json' }), ...headers },
        redirect: 'manual',
        ...(body !== undefined && { body: isRaw ? (body as BodyInit) : JSON.stringify(body) }),
      });
      return answerOf(response);
    },
  };
}

async function answerOf(response: Response): Promise<Answer> {
  const text = await response.text();
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    json = undefined;
  }
  return { status: response.status, headers: response.headers, text, json };
}
