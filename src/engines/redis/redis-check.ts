/** Whether Redis is fit to keep data. */

import { LaminaError } from '../../domain/error.ts';
import type { RedisConnection } from './redis-connection.ts';
import { isRefused } from './redis-error.ts';

/** Throws `UNAVAILABLE` if Redis does not answer. Otherwise warns about eviction, which would lose data. */
export async function evictionRisk(connection: RedisConnection): Promise<string | undefined> {
  await connection.send(['PING'], 'reads');
  const info = await connection.send(['INFO', 'memory'], 'reads').catch((error: unknown) => {
    // Not every user may ask.
    if (error instanceof LaminaError && isRefused(error.cause)) return '';
    throw error;
  });
  const policy = /^maxmemory_policy:(\S+)/m.exec(String(info))?.[1] ?? 'noeviction';
  const isBounded = !/^maxmemory:0\s*$/m.test(String(info));
  if (policy === 'noeviction' || !isBounded) return undefined;
  return `Redis removes values when its memory is full (maxmemory-policy ${policy}): set it to noeviction.`;
}
