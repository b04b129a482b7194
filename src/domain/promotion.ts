/** Promoting a memory to a broader layer: what may go where, and what it asks for and answers. */

import { z } from 'zod';
import { entryId, entrySchema, identifiersSchema, layerSchema, type Entry } from './entry.ts';
import { REDACTED } from './redaction.ts';
import { WRITE_STATUSES } from './remember.ts';
import type { Layer } from './scope.ts';

/** Who gets to see it: the higher the more. */
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

/** What is confidential or restricted stays where it is. */
export function mayBePromoted({ sensitivity }: Pick<Entry, 'sensitivity'>): boolean {
  return sensitivity === 'public' || sensitivity === 'internal';
}

type Standing = Pick<Entry, 'visibility' | 'layer'>;

/** Whether a change lets others see what only its owner could, or puts what is shared where more people look. */
export function isPublished(before: Standing, after: Standing): boolean {
  return after.visibility === 'shared' && (before.visibility === 'private' || isBroader(after.layer, before.layer));
}

export const promoteInputSchema = z.strictObject({
  id: entryId,
  layer: layerSchema.describe('A broader one than its own: user, project, team, org or company.'),
  identifiers: identifiersSchema
    .optional()
    .describe('Default: your own userId and agentId, and your tenant as companyId.'),
  expectedVersion: z.int().min(1).optional().describe('Refuse with VERSION_CONFLICT unless this is the version.'),
});

export type PromoteInput = z.output<typeof promoteInputSchema>;

const count = z.int().optional();

export const promoteOutputSchema = z.strictObject({
  memory: entrySchema.describe('The memory in the broader layer.'),
  status: z.enum(WRITE_STATUSES).describe('unchanged when the same stood there already.'),
  redactions: z
    .strictObject(
      Object.fromEntries(REDACTED.map((what) => [what, count])) as Record<(typeof REDACTED)[number], typeof count>,
    )
    .describe('How much personal data and how many secrets were taken out, by sort. None for the user layer.'),
});

export type PromoteOutput = z.output<typeof promoteOutputSchema>;
