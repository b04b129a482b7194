/** A value as Redis holds it: a hash, whose fields are named in redis-write-scripts.ts. */

import type { StateRow } from '../sql/state-row.ts';
import type { RedisReply } from './redis-connection.ts';

/** Those that make a row, in the order in which {@link rowOf} takes them. */
export const FIELDS: readonly string[] = ['j', 'v', 'c', 'u', 'e', 'a', 'l'];

/** Undefined where there is no value. */
export function rowOf(fields: readonly RedisReply[]): StateRow | undefined {
  const [json, version, created, updated, expires, accesses, accessed] = fields as (string | null)[];
  if (json === null || json === undefined) return undefined;
  return {
    value: json,
    version: Number(version),
    created_at: Number(created),
    updated_at: Number(updated),
    expires_at: expires === '' ? null : Number(expires),
    access_count: Number(accesses),
    last_accessed_at: accessed === '' ? null : Number(accessed),
  };
}
