/** The audit log: which administrative acts there were. Never says what was erased, only that, when and how much. */

import { z } from 'zod';
import { entryId, isoTime } from './entry.ts';
import { receiptSchema } from './erasure.ts';
import { page, paged } from './record.ts';

const AUDIT_ACTIONS = [
  'keys.create',
  'keys.revoke',
  'users.erase',
  'tenants.erase',
  'tenants.export',
  'tenants.import',
] as const;

export const auditEntrySchema = z.strictObject({
  id: entryId.describe('Of an erasure: the id of its receipt.'),
  action: z.enum(AUDIT_ACTIONS),
  actor: z.string().describe('Who did it. Someone who has been erased is `sha256:` and the hash of the id.'),
  at: isoTime,
  keyId: z.string().optional().describe('The key that was created or revoked.'),
  receipt: receiptSchema.optional().describe('Of an erasure.'),
});

export type AuditEntry = z.output<typeof auditEntrySchema>;

export const auditInputSchema = z.strictObject({ ...paged });

export type AuditInput = z.output<typeof auditInputSchema>;

export const auditOutputSchema = z.strictObject({
  entries: z.array(auditEntrySchema).describe('Newest first.'),
  ...page,
});

export type AuditOutput = z.output<typeof auditOutputSchema>;
