/** The database as it is configured, as one end of a transfer by bundle. */

import { archiveEnd } from '../core/bundle/archive-end.ts';
import type { BundleEnd } from '../core/bundle/bundle-end.ts';
import { ChangingEmbedder } from '../core/spaces/changing-embedder.ts';
import { COLLECTIONS, type Collection } from '../domain/archive.ts';
import { CachedEmbedder } from '../embedding/cached-embedder.ts';
import { GuardedEmbedder } from '../embedding/guarded-embedder.ts';
import type { Embedder } from '../ports/embedder.ts';
import type { Engine } from '../ports/engine.ts';
import { hostTracing } from '../telemetry/open-telemetry-tracing.ts';
import type { Configuration } from './configuration.ts';
import { embedderMaker, embedderOf } from './embedders.ts';
import { openEngine } from './engines.ts';
import { systemClock } from './system.ts';

/** Counting takes longer than anything that a service asks for. */
const DATABASE_TIMEOUT_MS = 15 * 60_000;

export interface DatabaseEndOptions {
  readonly tenantId: string;
  /** Whether API keys go along. */
  readonly keys: boolean;
  /** Whether what comes without a vector is embedded. */
  readonly embeds: boolean;
}

export interface OpenEnd {
  readonly end: BundleEnd;
  close(): Promise<void>;
}

/** Throws `CONFIGURATION_ERROR` and `UNAVAILABLE`. */
export async function databaseEnd(
  configuration: Configuration,
  { tenantId, keys, embeds }: DatabaseEndOptions,
): Promise<OpenEnd> {
  const collections: readonly Collection[] = COLLECTIONS.filter((name) => keys || name !== 'apiKeys');
  const engine = await openEngine({ ...configuration, databaseTimeoutMs: DATABASE_TIMEOUT_MS });
  const { archive, upkeep } = engine;
  const embedder = embeds ? embedderIn(engine, configuration) : undefined;
  return {
    end: archiveEnd({ archive, upkeep, clock: systemClock }, tenantId, { collections, embedder }),
    close: async () => {
      try {
        await engine.close();
      } finally {
        await embedder?.close();
      }
    },
  };
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
