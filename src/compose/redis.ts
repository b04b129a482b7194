/** Redis as it is configured. Loaded only where it is. */

import { LaminaError } from '../domain/error.ts';
import { RedisConnection } from '../engines/redis/redis-connection.ts';
import { isNoDatabase, isRefused } from '../engines/redis/redis-error.ts';
import { RedisFallbackStore } from '../engines/redis/redis-fallback-store.ts';
import { RedisStateStore } from '../engines/redis/redis-state-store.ts';
import type { Clock } from '../ports/clock.ts';
import type { Engine } from '../ports/engine.ts';
import type { HotStore } from '../ports/hot-store.ts';
import { shownAddress } from './database-address.ts';
import { DEFAULT_NAME_PREFIX, isNamePrefix, NAME_PREFIX } from './name-prefix.ts';
import { isRedisAddress, REDIS_ADDRESS } from './redis-address.ts';
import type { RedisOptions } from './redis-options.ts';

const NOBODY = { tenantId: '00000000-0000-0000-0000-000000000000', userId: '' };

/**
 * The engine is the fallback. Throws `CONFIGURATION_ERROR`, and `UNAVAILABLE` if Redis cannot be reached and there is no
 * fallback.
 */
export async function openRedis(
  { url, fallback = 'none', prefix = DEFAULT_NAME_PREFIX }: RedisOptions,
  engine: Engine,
  clock: Clock,
  replaced?: () => void,
): Promise<HotStore> {
  if (!isRedisAddress(url)) {
    throw new LaminaError('CONFIGURATION_ERROR', `The address of Redis is none: it accepts ${REDIS_ADDRESS}.`);
  }
  if (!isNamePrefix(prefix)) {
    throw new LaminaError('CONFIGURATION_ERROR', `The prefix of Redis's keys accepts ${NAME_PREFIX}.`);
  }
  const connection = await RedisConnection.open({ url, prefix });
  try {
    const store = new RedisStateStore(connection, clock);
    const failure = await failureAtStart(connection, store);
    if (isRefused(failure) || isRefused((failure as Error | undefined)?.cause)) throw refused(url);
    if (isNoDatabase(failure)) throw withoutDatabase(url);
    if (fallback === 'database') return new RedisFallbackStore({ connection, store, engine, clock, replaced });
    if (!connection.isReady) throw unreached(url, failure);
    if (failure !== undefined) throw failure;
    return store;
  } catch (error) {
    await connection.close();
    throw error;
  }
}

/** Undefined where there is none. */
async function failureAtStart(connection: RedisConnection, store: RedisStateStore): Promise<unknown> {
  if (!(await connection.tried())) return connection.failure;
  try {
    await store.check();
    // A no-op check that its user has the permissions that are needed all the time.
    await store.measure(NOBODY, '');
    return undefined;
  } catch (error) {
    return error;
  }
}

function refused(url: string): LaminaError {
  const message = `Redis at ${shownAddress(url)} refuses the user or the password of its address, or what that user has to do.`;
  return new LaminaError('CONFIGURATION_ERROR', message);
}

function withoutDatabase(url: string): LaminaError {
  const message =
    `Redis at ${shownAddress(url)} has no database of the number that ends its address. They count from 0; how many there are ` +
    `is its setting "databases", 16 by default, and 1 in a cluster.`;
  return new LaminaError('CONFIGURATION_ERROR', message);
}

function unreached(url: string, failure: unknown): LaminaError {
  const { code } = (failure ?? {}) as NodeJS.ErrnoException;
  const why = code ?? (failure instanceof Error ? failure.message : 'no answer');
  return new LaminaError(
    'UNAVAILABLE',
    `Redis at ${shownAddress(url)} cannot be reached (${why}). Start it, correct LAMINA_REDIS_URL, or have the database ` +
      'stand in with LAMINA_REDIS_FALLBACK=database.',
    { cause: failure },
  );
}
