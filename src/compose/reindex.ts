/** Building the index anew, with everything opened for it as it is configured. */

import { reindex, type ReindexInput, type ReindexReport } from '../core/indexing/reindex.ts';
import { LaminaError } from '../domain/error.ts';
import { hostTracing } from '../telemetry/open-telemetry-tracing.ts';
import type { Configuration } from './configuration.ts';
import { embedderOf } from './embedders.ts';
import { openEngine } from './engines.ts';
import { openQdrant } from './qdrant.ts';
import { qdrantOf } from './qdrant-options.ts';
import { systemClock, systemIds } from './system.ts';

/** Counting takes longer than anything that a service asks for. */
const DATABASE_TIMEOUT_MS = 15 * 60_000;

/** Of the space in use. Throws `CONFIGURATION_ERROR` where there is no Qdrant, and what {@link reindex} throws. */
export async function reindexConfigured(
  configuration: Configuration,
  options: Pick<ReindexInput, 'tenantId' | 'signal' | 'progress'>,
): Promise<ReindexReport> {
  const qdrant = qdrantOf(configuration);
  if (qdrant === undefined) {
    throw new LaminaError(
      'CONFIGURATION_ERROR',
      'There is no index to build: LAMINA_QDRANT_URL is not set. The indexes of the database itself need no such step.',
    );
  }
  const index = await openQdrant(qdrant);
  const embedder = embedderOf(configuration, hostTracing());
  try {
    const engine = await openEngine({ ...configuration, databaseTimeoutMs: DATABASE_TIMEOUT_MS });
    try {
      const { upkeep, events, archive, spaces } = engine;
      // The database may name another model than the configuration.
      const space = (await spaces.read())?.active.space ?? (await embedder.space());
      const inUse = { space: () => Promise.resolve(space) };
      const needs = { index, embedder: inUse, upkeep, events, archive, clock: systemClock, ids: systemIds };
      return await reindex({ ...options, needs });
    } finally {
      await engine.close();
    }
  } finally {
    await embedder.close();
  }
}
