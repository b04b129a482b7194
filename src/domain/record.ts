/** What records (plans, sessions, task contexts and the like) have in common, as schemas. */

import { z } from 'zod';
import { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE } from './browse.ts';
import { isoTime } from './entry.ts';

/** What a record carries for its users; unlike the metadata of an entry it is not merged. */
export const payload = z.record(z.string(), z.unknown()).describe('Free JSON; a change replaces it as a whole.');

export const cascade = z.boolean().optional();

const ifVersion = z.int().min(1).optional().describe('Refuse with VERSION_CONFLICT unless this is the version.');

/** The version that a change of a record may expect. */
export const expected = { ifVersion } as const;

/** What every record has. */
export const recorded = {
  version: z.int().describe('Grows with every change, and is never reused.'),
  createdAt: isoTime,
  updatedAt: isoTime,
} as const;

/** What every list of records takes. */
export const paged = {
  limit: z.int().min(1).max(MAX_PAGE_SIZE).optional().describe(`Default ${DEFAULT_PAGE_SIZE}.`),
  cursor: z.string().min(1).max(1024).optional().describe('Where the last page ended.'),
} as const;

/** What every list of records answers besides the records. */
export const page = {
  count: z.int().describe('How many there are on this page.'),
  nextCursor: z.string().nullable().describe('Null on the last page.'),
} as const;
