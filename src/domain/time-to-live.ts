/** How long state may be told to stay. */

import { z } from 'zod';

/** Longer than any plan; what should stay longer has no time to live. */
const MAX_TTL_SECONDS = 10 * 365 * 24 * 60 * 60;

export const ttlSeconds = z.int().min(1).max(MAX_TTL_SECONDS);
