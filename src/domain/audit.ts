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
  id: entryId.describe('Of an erasure: the id of its receipt.'),
  action: z.enum(AUDIT_ACTIONS),
  actor: z.string().describe('Who did it. Someone who has been erased is `sha256:` and the hash of the id.'),
  at: isoTime,
  keyId: z.string().optional().describe('The key that was created or revoked.'),
  receipt: receiptSchema.optional().describe('Of an erasure.'),
  about: z
    .record(z.string(), z.union([z.string(), z.number(), z.boolean()]))
    .optional()
    .describe('What it was done to, such as the id of a run. Names no person.'),
  sequence: z
    .int()
    .min(1)
    .optional()
    .describe('Its place in the chain. Absent for what was logged before there was one.'),
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
    .describe('A hash that was the head of the chain once: it must still be in it. Tells whether the end was cut off.'),
});

export type VerifyAuditInput = z.output<typeof verifyAuditInputSchema>;

export const verifyAuditOutputSchema = z.strictObject({
  ok: z.boolean(),
  entries: z.int().describe('Those that are linked.'),
  before: z
    .int()
    .describe('Those that were logged before there was a chain; its first link seals them as they were then.'),
  head: sha256.nullable().describe('The hash of the last entry: keep it elsewhere. Null where nothing is linked.'),
  firstBroken: z
    .strictObject({
      sequence: z.int().optional().describe('Where the chain ends to hold. Absent where no entry can be named.'),
      id: z.string().optional(),
      problem: z.string(),
    })
    .optional()
    .describe('The first thing that is wrong. What comes after it is not looked at.'),
});

export type AuditVerification = z.output<typeof verifyAuditOutputSchema>;
