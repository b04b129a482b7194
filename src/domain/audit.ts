/** The audit log of administrative acts. Of an erasure it records when and how much, never what. */

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
  'maintenance.run',
  'maintenance.undo',
  'reindex.start',
  'reindex.cutOver',
  'reindex.rollBack',
  'reindex.finish',
  'reindex.cancel',
  'encryption.seal',
  'encryption.rotate',
  'encryption.rotateMaster',
  'doctor.fix',
  'quarantine.release',
  'quarantine.reject',
  'refused',
] as const;

const sha256 = z.string().regex(/^[0-9a-f]{64}$/, 'must be 64 hexadecimal digits');

export const auditEntrySchema = z.strictObject({
  id: entryId.describe('For an erasure, the id of its receipt.'),
  action: z.enum(AUDIT_ACTIONS),
  actor: z.string().describe('Who did it. For an erased user, `sha256:` and the hash of the id.'),
  at: isoTime,
  keyId: z.string().optional().describe('The key that was created or revoked.'),
  receipt: receiptSchema.optional().describe('Of an erasure.'),
  about: z
    .record(z.string(), z.union([z.string(), z.number(), z.boolean()]))
    .optional()
    .describe('What it was done to, such as the id of a run. Names no person.'),
  sequence: z.int().min(1).optional().describe('Its place in the chain. Absent for entries older than the chain.'),
  previous: sha256.optional().describe('The hash of the entry before it.'),
  hash: sha256.optional().describe('SHA-256 of this entry and of `previous`: see docs/audit.md.'),
});

export type AuditEntry = z.output<typeof auditEntrySchema>;

export type AuditAction = AuditEntry['action'];

export const auditInputSchema = z.strictObject({ ...paged });

export type AuditInput = z.output<typeof auditInputSchema>;

export const auditOutputSchema = z.strictObject({
  entries: z.array(auditEntrySchema).describe('Newest first.'),
  ...page,
});

export type AuditOutput = z.output<typeof auditOutputSchema>;

export const verifyAuditInputSchema = z.strictObject({
  head: sha256
    .optional()
    .describe('An earlier head of the chain, which must still be in it. Detects whether the end was cut off.'),
});

export type VerifyAuditInput = z.output<typeof verifyAuditInputSchema>;

export const verifyAuditOutputSchema = z.strictObject({
  ok: z.boolean(),
  entries: z.int().describe('Entries in the chain.'),
  before: z.int().describe('Entries older than the chain; its first link seals them as they were then.'),
  head: sha256.nullable().describe('The hash of the last entry: keep it elsewhere. Null if the chain is empty.'),
  firstBroken: z
    .strictObject({
      sequence: z.int().optional().describe('Where the chain breaks. Absent if no entry can be named.'),
      id: z.string().optional(),
      problem: z.string(),
    })
    .optional()
    .describe('The first thing that is wrong. Later entries are not checked.'),
});

export type AuditVerification = z.output<typeof verifyAuditOutputSchema>;
