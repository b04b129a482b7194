/** The time to live of state, and whether something has expired. */

import { z } from 'zod';

/** Longer than any plan; what should stay longer has no time to live. */
const MAX_TTL_SECONDS = 10 * 365 * 24 * 60 * 60;

export const ttlSeconds = z.int().min(1).max(MAX_TTL_SECONDS);

/** Whether it has expired at that moment, in milliseconds or ISO 8601. Without an end it never expires. */
export function hasExpired({ expiresAt }: { readonly expiresAt?: string | undefined }, now: number | string): boolean {
  return expiresAt !== undefined && Date.parse(expiresAt) <= new Date(now).getTime();
}
