/** The database as it is configured, with Redis where that is, as one end of a transfer by bundle. */

import { archiveEnd } from '../core/bundle/archive-end.ts';
import type { BundleEnd } from '../core/bundle/bundle-end.ts';
import { ChangingEmbedder } from '../core/spaces/changing-embedder.ts';
import { COLLECTIONS, type Collection } from '../domain/archive.ts';
import { LaminaError } from '../domain/error.ts';
import { CachedEmbedder } from '../embedding/cached-embedder.ts';
import { GuardedEmbedder } from '../embedding/guarded-embedder.ts';
import type { Embedder } from '../ports/embedder.ts';
import type { Engine } from '../ports/engine.ts';
import type { HotStore } from '../ports/hot-store.ts';
import { hostTracing } from '../telemetry/open-telemetry-tracing.ts';
import type { Configuration } from './configuration.ts';
import { shownAddress } from './database-address.ts';
import { embedderMaker, embedderOf } from './embedders.ts';
import { openEngine } from './engines.ts';
import { redisOf } from './redis-options.ts';
import { hotBeside } from './sealing.ts';
import { systemClock } from './system.ts';

/** Counting takes longer than anything that a service asks for. */
const DATABASE_TIMEOUT_MS = 15 * 60_000;

export interface DatabaseEndOptions {
  readonly tenantId: string;
  /** Whether API keys go along. */
  readonly keys: boolean;
  /** Whether what comes without a vector is embedded. */
  readonly embeds: boolean;
  /** Told of what cannot be read, which is left out then. Default: it throws. */
  readonly skipped?: ((collection: Collection, names: readonly string[]) => void) | undefined;
}

export interface OpenEnd {
  readonly end: BundleEnd;
  close(): Promise<void>;
}

/** Throws `CONFIGURATION_ERROR` and `UNAVAILABLE`. */
export async function databaseEnd(
  configuration: Configuration,
  { tenantId, keys, embeds, skipped }: DatabaseEndOptions,
): Promise<OpenEnd> {
  const collections: readonly Collection[] = COLLECTIONS.filter((name) => keys || name !== 'apiKeys');
  const engine = await openEngine({ ...configuration, databaseTimeoutMs: DATABASE_TIMEOUT_MS });
  const { archive, upkeep } = engine;
  const hot = await hotOf(engine, configuration);
  const embedder = embeds ? embedderIn(engine, configuration) : undefined;
  const stores = { archive, hotArchive: hot?.archive, upkeep, clock: systemClock };
  return {
    end: archiveEnd(stores, tenantId, { collections, embedder, skipped }),
    close: async () => {
      try {
        await hot?.close();
        await engine.close();
      } finally {
        await embedder?.close();
      }
    },
  };
}

/** Undefined where there is none. Nothing stands in for it, whatever is configured. Closes the engine where it fails. */
async function hotOf(engine: Engine, configuration: Configuration): Promise<HotStore | undefined> {
  const redis = redisOf(configuration);
  if (redis === undefined) return undefined;
  try {
    const { openRedis } = await import('./redis.ts');
    const hot = await hotBeside(engine, (beneath) => openRedis(redis, beneath, systemClock));
    if (hot.isUp) return hot;
    await hot.close();
    throw withoutRedis(redis.url);
  } catch (error) {
    await engine.close();
    throw error instanceof LaminaError && error.code === 'UNAVAILABLE' ? withoutRedis(redis.url, error.cause) : error;
  }
}

function withoutRedis(redisUrl: string, cause?: unknown): LaminaError {
  return new LaminaError(
    'UNAVAILABLE',
    `Redis at ${shownAddress(redisUrl)}, where working and short-term memory lie, cannot be reached: without them nothing is ` +
      'exported or imported. Start it, or correct LAMINA_REDIS_URL.',
    { cause },
  );
}

/** The model that the database names, which is the configured one until it was changed. */
function embedderIn({ spaces }: Engine, configuration: Configuration): Embedder {
  const watched = (embedder: Embedder): CachedEmbedder => new CachedEmbedder(new GuardedEmbedder(embedder));
  const make = embedderMaker(configuration, hostTracing());
  return new ChangingEmbedder({
    spaces,
    configured: watched(embedderOf(configuration, hostTracing())),
    make: (settings) => {
      const made = make(settings);
      return made && watched(made);
    },
    warn: (message) => process.emitWarning(message, 'LaminaWarning'),
  });
}
