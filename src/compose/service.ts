/** The service as it is configured: memory, its telemetry and the server before it, started and stopped together. */

import { LaminaError } from '../domain/error.ts';
import type { Engine } from '../ports/engine.ts';
import type { Campaign } from '../ports/leadership.ts';
import type { UpkeepFailure } from '../ports/telemetry.ts';
import { createServer } from '../server/create-server.ts';
import type { LoggerOptions } from '../server/dependencies.ts';
import { createOpenTelemetry, type OpenTelemetry } from '../telemetry/open-telemetry.ts';
import { authenticationOf } from './authentication.ts';
import type { Configuration } from './configuration.ts';
import { openConfigured } from './configured-lamina.ts';
import { inspectorFolder } from './inspector-folder.ts';
import type { Lamina } from './lamina.ts';
import { unusedFolderRemoval } from './new-folder.ts';
import { releaseAll, type Release } from './release-all.ts';
import { openTracing } from './tracing.ts';
import { upkeepOf } from './upkeep.ts';

export interface Service {
  /** Where it answers, such as `http://127.0.0.1:8787`. */
  readonly url: string;
  /** Reads the certificate again, where there is one. */
  reload(): void;
  /** Lets pending requests finish, flushes pending writes, releases everything. */
  close(): Promise<void>;
}

export interface ServiceOptions {
  readonly version: string;
  readonly logger: LoggerOptions;
}

/** Resolves once requests are served. Throws `CONFIGURATION_ERROR` or `UNAVAILABLE`, and then holds on to nothing. */
export async function startService(configuration: Configuration, options: ServiceOptions): Promise<Service> {
  // In the order of their release: the server may still be answering from memory while it drains.
  const held: Release[] = [];
  const removeUnusedFolder = unusedFolderRemoval(configuration.databaseUrl);
  try {
    const watched: Watched = {};
    const telemetry = telemetryOf(watched);
    held.push(() => telemetry.shutdown());
    const traces = await openTracing(configuration, options.version);
    held.push(() => traces.close());
    const { tracing } = traces;
    const warnings: string[] = [];
    const warned = (message: string): void => void warnings.push(message);
    const upkeepFailed = (failure: UpkeepFailure): void => {
      telemetry.upkeepFailed(failure);
      watched.warn?.(upkeepText(failure));
    };
    const { lamina, engine } = await openConfigured(configuration, {
      tracing,
      observers: { telemetry, tracing, warned },
      otherwise: () => ({ telemetry: { ...telemetry, upkeepFailed } }),
    });
    held.unshift(() => lamina.close());
    Object.assign(watched, { engine, lamina });
    const authenticate = authenticationOf(configuration, lamina);
    const server = createServer({
      invokeAs: (principal) => lamina.invokeAs(principal),
      followAs: (principal) => lamina.followAs(principal),
      health: () => lamina.health(),
      metrics: () => telemetry.metrics(),
      observer: {
        begin: (method, route, headers) => tracing.request(method, route, headers),
        ended: (record) => telemetry.requestEnded(record),
      },
      version: options.version,
      logger: options.logger,
      turn: configuration.turn,
      tls: configuration.tls,
      ...configuration.traffic,
      ...(configuration.inspector === 'on' && { inspectorFolder: inspectorFolder() }),
      ...(authenticate && { authenticate }),
    });
    held.unshift(() => server.close());
    watched.warn = (message) => server.warn(message);
    for (const warning of warnings) server.warn(warning);
    await assertUsable(lamina);
    const url = await server.listen({ host: configuration.host, port: configuration.port });
    watched.campaign = engine.leadership.campaign((signal) => lamina.keepUp(upkeepOf(configuration), signal));
    return { url, reload: () => server.reload(), close: () => releaseAll(held) };
  } catch (error) {
    await releaseAll(held);
    await removeUnusedFolder();
    throw error;
  }
}

/** What the metrics are asked of, and who is warned. They are there first, because it tells them of its work from the beginning. */
interface Watched {
  warn?: (message: string) => void;
  engine?: Engine;
  lamina?: Lamina;
  campaign?: Campaign;
}

function upkeepText({ step, code, count }: UpkeepFailure): string {
  return `Upkeep failed ${count === 1 ? 'once' : `${count} times`} in a round: ${step}, ${code}. The next round tries again.`;
}

function telemetryOf(watched: Watched): OpenTelemetry {
  return createOpenTelemetry({
    storageSize: async () => (await watched.engine?.size()) ?? {},
    load: () => watched.engine?.load?.() ?? {},
    isHotStoreUp: () => watched.lamina?.isHotStoreUp,
    isLeader: () => watched.campaign?.isLeader ?? false,
  });
}

/** A folder that is not writable should fail the start, not the first request. */
async function assertUsable(lamina: Lamina): Promise<void> {
  const { status, components } = await lamina.health();
  if (status !== 'unhealthy') return;
  const reasons = Object.values(components).flatMap(({ message }) => message ?? []);
  throw new LaminaError('UNAVAILABLE', `The memory cannot be used. ${reasons.join(' ')}`.trim());
}
