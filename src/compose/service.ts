/** The service as it is configured: memory, its telemetry and the server before it, started and stopped together. */

import { LaminaError } from '../domain/error.ts';
import type { Engine } from '../ports/engine.ts';
import type { Campaign } from '../ports/leadership.ts';
import { createServer } from '../server/create-server.ts';
import type { LoggerOptions } from '../server/dependencies.ts';
import { createOpenTelemetry, type OpenTelemetry } from '../telemetry/open-telemetry.ts';
import { authenticationOf } from './authentication.ts';
import type { Configuration } from './configuration.ts';
import { embedderMaker, embedderOf } from './embedders.ts';
import { openEngine } from './engines.ts';
import { inspectorFolder } from './inspector-folder.ts';
import { Lamina } from './lamina.ts';
import { languageModelOf } from './language-models.ts';
import { unusedFolderRemoval } from './new-folder.ts';
import { qdrantOf } from './qdrant-options.ts';
import { rerankerOf } from './rerankers.ts';
import { systemClock } from './system.ts';
import { openTracing } from './tracing.ts';
import { upkeepOf } from './upkeep.ts';

export interface Service {
  /** Where it answers, such as `http://127.0.0.1:8787`. */
  readonly url: string;
  /** Reads the certificate again, where there is one. */
  reload(): void;
  /** Lets requests under way finish, writes out what is pending, releases everything. */
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
    const embedder = embedderOf(configuration, tracing);
    held.unshift(() => embedder.close());
    const warnings: string[] = [];
    const warned = (message: string): void => void warnings.push(message);
    const engine = await openEngine(configuration, systemClock, { telemetry, tracing, warned });
    watched.engine = engine;
    held.unshift(() => engine.close());
    const { limits, redisUrl: redis, redisFallback, lifecycle, turn, quarantine, reranking } = configuration;
    const qdrant = qdrantOf(configuration);
    const languageModel = languageModelOf(configuration.languageModel);
    const embedderFor = embedderMaker(configuration, tracing);
    const models = { embedder, embedderFor, languageModel, reranker: rerankerOf(configuration.reranker, tracing) };
    const observed = { telemetry, tracing };
    const stores = { engine, redis, redisFallback, qdrant };
    const lamina = await Lamina.open({
      ...stores,
      ...observed,
      ...models,
      limits,
      lifecycle,
      turn,
      quarantine,
      reranking,
    });
    watched.lamina = lamina;
    // From now on these two are its own to close.
    held.splice(0, 2, () => lamina.close());
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
      turn,
      tls: configuration.tls,
      ...configuration.traffic,
      ...(configuration.inspector === 'on' && { inspectorFolder: inspectorFolder() }),
      ...(authenticate && { authenticate }),
    });
    held.unshift(() => server.close());
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

/** What the metrics are asked of. They are there first, because it tells them of its work from the beginning. */
interface Watched {
  engine?: Engine;
  lamina?: Lamina;
  campaign?: Campaign;
}

function telemetryOf(watched: Watched): OpenTelemetry {
  return createOpenTelemetry({
    storageSize: async () => (await watched.engine?.size()) ?? {},
    load: () => watched.engine?.load?.() ?? {},
    isHotStoreUp: () => watched.lamina?.isHotStoreUp,
    isLeader: () => watched.campaign?.isLeader ?? false,
  });
}

type Release = () => Promise<void>;

/** One after the other, and each of them, whatever becomes of those before it. */
async function releaseAll([release, ...rest]: readonly Release[]): Promise<void> {
  try {
    await release?.();
  } finally {
    if (rest.length > 0) await releaseAll(rest);
  }
}

/** A folder that cannot be written should stop the start, not the first request. */
async function assertUsable(lamina: Lamina): Promise<void> {
  const { status, components } = await lamina.health();
  if (status !== 'unhealthy') return;
  const reasons = Object.values(components).flatMap(({ message }) => message ?? []);
  throw new LaminaError('UNAVAILABLE', `The memory cannot be used. ${reasons.join(' ')}`.trim());
}
