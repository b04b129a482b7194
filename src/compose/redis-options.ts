/** What is to be known of Redis to use it, and where the configuration says it. */

import type { Configuration } from './configuration.ts';

/** The fallback while Redis cannot be reached. */
export type RedisFallback = 'none' | 'database';

export interface RedisOptions {
  readonly url: string;
  readonly fallback?: RedisFallback | undefined;
  /** What the names of its keys begin with. Databases that share a Redis need different ones. Default `lamina`. */
  readonly prefix?: string | undefined;
}

/** Undefined where none is configured. */
export function redisOf({
  redisUrl: url,
  redisFallback: fallback,
  redisPrefix: prefix,
}: Configuration): RedisOptions | undefined {
  return url === undefined ? undefined : { url, fallback, prefix };
}
