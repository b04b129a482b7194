/** Opening what a Lamina keeps memory in: the engine, and beside it Redis and Qdrant where they are configured. */

import { resolve } from 'node:path';
import { LaminaError } from '../domain/error.ts';
import type { Clock } from '../ports/clock.ts';
import type { Engine } from '../ports/engine.ts';
import type { HotStore } from '../ports/hot-store.ts';
import type { Telemetry } from '../ports/telemetry.ts';
import type { VectorIndex } from '../ports/vector-index.ts';
import { openEngine } from './engines.ts';
import type { LaminaOptions } from './lamina-options.ts';
import type { Observers } from './observers.ts';
import { hotBeside, sealedWith } from './sealing.ts';

const DEFAULT_FOLDER = './lamina-data';

export interface OpenStores {
  readonly engine: Engine;
  readonly hot: HotStore | undefined;
  readonly vectors: VectorIndex | undefined;
}

/** Where one of them cannot be opened, none is. */
export async function openStores(options: LaminaOptions, clock: Clock, observers: Observers): Promise<OpenStores> {
  const { masterKey, searchMemoryMib } = options;
  const engine = options.engine
    ? sealedWith(options.engine, masterKey, clock)
    : await openEngine({ databaseUrl: addressOf(options), masterKey, searchMemoryMib }, clock, observers);
  const hot = await openHot(options, engine, clock, observers.telemetry);
  const vectors = await openIndex(options, hot, engine);
  return { engine, hot, vectors };
}

/** Undefined where there is none. Closes an engine that was opened for nothing. */
async function openHot(
  options: LaminaOptions,
  engine: Engine,
  clock: Clock,
  telemetry: Telemetry,
): Promise<HotStore | undefined> {
  if (options.redis === undefined) return undefined;
  try {
    const { openRedis } = await import('./redis.ts');
    const replaced = (): void => telemetry.hotStoreReplaced?.();
    const redis = { url: options.redis, fallback: options.redisFallback, prefix: options.redisPrefix };
    return await hotBeside(engine, (beneath) => openRedis(redis, beneath, clock, replaced));
  } catch (error) {
    if (options.engine === undefined) await engine.close();
    throw error;
  }
}

/** The same for the index. */
async function openIndex(
  { qdrant, engine: given }: LaminaOptions,
  hot: HotStore | undefined,
  engine: Engine,
): Promise<VectorIndex | undefined> {
  if (qdrant === undefined) return undefined;
  try {
    const { openQdrant } = await import('./qdrant.ts');
    return await openQdrant(qdrant);
  } catch (error) {
    await hot?.close();
    if (given === undefined) await engine.close();
    throw error;
  }
}

function addressOf({ folder, database }: LaminaOptions): string {
  if (folder !== undefined && database !== undefined) {
    throw new LaminaError('CONFIGURATION_ERROR', 'Memory lies in a folder or in a database: name one of the two.');
  }
  return database ?? `sqlite:${resolve(folder ?? DEFAULT_FOLDER)}`;
}
