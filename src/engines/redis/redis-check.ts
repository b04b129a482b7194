/** How well Redis can hold what is given to it. */

import { LaminaError } from '../../domain/error.ts';
import type { RedisConnection } from './redis-connection.ts';
import { isRefused } from './redis-error.ts';

/** Throws `UNAVAILABLE` when Redis does not answer. Says what is amiss where it does: what it evicts would be lost. */
export async function evictionRisk(connection: RedisConnection): Promise<string | undefined> {
  await connection.send(['PING'], 'reads');
  const info = await connection.send(['INFO', 'memory'], 'reads').catch((error: unknown) => {
    // Not everyone may ask.
    if (error instanceof LaminaError && isRefused(error.cause)) return '';
    throw error;
  });
  const policy = /^maxmemory_policy:(\S+)/m.exec(String(info))?.[1] ?? 'noeviction';
  const isBounded = !/^maxmemory:0\s*$/m.test(String(info));
  if (policy === 'noeviction' || !isBounded) return undefined;
  return `Redis removes values when its memory is full (maxmemory-policy ${policy}): set it to noeviction.`;
}
