/** Promoting a memory to a broader layer: what may go where, and what it asks for and answers. */

import { z } from 'zod';
import { entryId, entrySchema, givenIdentifiersSchema, layerSchema, type Entry } from './entry.ts';
import { REDACTED } from './redaction.ts';
import { WRITE_STATUSES } from './remember.ts';
import type { Layer } from './scope.ts';

/** How many people see it: the higher, the more. */
const BREADTH: { readonly [layer in Layer]: number } = {
  agent: 0,
  session: 0,
  user: 1,
  project: 2,
  team: 3,
  org: 4,
  company: 5,
};

export function isBroader(to: Layer, from: Layer): boolean {
  return BREADTH[to] > BREADTH[from];
}

/** Confidential and restricted memories are not promoted. */
export function mayBePromoted({ sensitivity }: Pick<Entry, 'sensitivity'>): boolean {
  return sensitivity === 'public' || sensitivity === 'internal';
}

type Standing = Pick<Entry, 'visibility' | 'layer'>;

/** Whether a change exposes a private memory to others, or a shared one to more people. */
export function isPublished(before: Standing, after: Standing): boolean {
  return after.visibility === 'shared' && (before.visibility === 'private' || isBroader(after.layer, before.layer));
}

export const promoteInputSchema = z.strictObject({
  id: entryId,
  layer: layerSchema.describe('A broader layer than its own: user, project, team, org or company.'),
  identifiers: givenIdentifiersSchema,
  expectedVersion: z.int().min(1).optional().describe('Refuse with VERSION_CONFLICT unless this is the version.'),
});

export type PromoteInput = z.output<typeof promoteInputSchema>;

const count = z.int().optional();

export const promoteOutputSchema = z.strictObject({
  memory: entrySchema.describe('The memory in the broader layer.'),
  status: z.enum(WRITE_STATUSES).describe('unchanged if the same was already there.'),
  redactions: z
    .strictObject(
      Object.fromEntries(REDACTED.map((what) => [what, count])) as Record<(typeof REDACTED)[number], typeof count>,
    )
    .describe('How many pieces of personal data and secrets were removed, by type. None for the user layer.'),
});

export type PromoteOutput = z.output<typeof promoteOutputSchema>;
