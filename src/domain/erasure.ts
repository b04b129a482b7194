/** Erasing a person or a tenant: what it counts, the receipt that it gives, and how that is verified later. */

import { z } from 'zod';
import { entryId, identifier, isoTime } from './entry.ts';

const ERASURE_SUBJECTS = ['user', 'tenant'] as const;

const count = z.int().min(0);

/** By type. A new table must be counted here, or an erasure cannot be shown to be complete. */
export const erasureCountsSchema = z.strictObject({
  entries: count,
  versions: count.describe('Superseded versions of entries.'),
  embeddings: count,
  events: count,
  state: count.describe('Values of working memory.'),
  plans: count,
  planContexts: count,
  taskContexts: count,
  sessions: count,
  apiKeys: count,
  pools: count,
  contexts: count,
  contextSnapshots: count,
  contextAccesses: count,
  facts: count,
  maintenanceRuns: count.describe('Only for a tenant.'),
  users: count,
  auditEntries: count.describe('Only for a tenant: its own audit log.'),
  mentions: count.describe('Only for a user: how often the id was removed from what belongs to others.'),
});

export type ErasureCounts = z.output<typeof erasureCountsSchema>;

export const NOTHING_COUNTED: ErasureCounts = {
  entries: 0,
  versions: 0,
  embeddings: 0,
  events: 0,
  state: 0,
  plans: 0,
  planContexts: 0,
  taskContexts: 0,
  sessions: 0,
  apiKeys: 0,
  pools: 0,
  contexts: 0,
  contextSnapshots: 0,
  contextAccesses: 0,
  facts: 0,
  maintenanceRuns: 0,
  users: 0,
  auditEntries: 0,
  mentions: 0,
};

export const receiptSchema = z
  .strictObject({
    erasureId: entryId,
    subject: z.enum(ERASURE_SUBJECTS),
    subjectHash: z.string().describe('SHA-256 of the id, in hexadecimal: the receipt itself names nobody.'),
    counts: erasureCountsSchema.describe('What was removed.'),
    completedAt: isoTime,
    hash: z
      .string()
      .describe('SHA-256 of the receipt without this field, as JSON in snake_case with sorted keys and no spaces.'),
  })
  .describe('Proof that something was erased, with when and how much; never what.');

export type Receipt = z.output<typeof receiptSchema>;

const tenantId = z.guid('must be a UUID').toLowerCase();

export const eraseUserInputSchema = z.strictObject({ userId: identifier });

export const eraseTenantInputSchema = z.strictObject({ tenantId });

export const verifyErasureInputSchema = z.strictObject({
  erasureId: entryId,
  userId: identifier.optional().describe('Who was erased: the log keeps no names. Either this or tenantId.'),
  tenantId: tenantId.optional().describe('Which tenant was erased.'),
});

export type VerifyErasureInput = z.output<typeof verifyErasureInputSchema>;

export const verifyErasureOutputSchema = z.strictObject({
  erasureId: entryId,
  verified: z.boolean().describe('True if nothing is left. What was written since counts as left.'),
  remaining: erasureCountsSchema,
  checkedAt: isoTime,
});

export type Verification = z.output<typeof verifyErasureOutputSchema>;
