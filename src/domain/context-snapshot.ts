/** Snapshots of a context: which version each entry had at one moment, to compare with and to go back to. */

import { z } from 'zod';
import { snapshotItemSchema } from './context.ts';
import { entryId, isoTime, pathName } from './entry.ts';
import { page, paged } from './record.ts';

/** How many entries a context may have to be taken as a whole: for a snapshot, a clone or an export. */
export const MAX_WHOLE_ENTRIES = 10_000;

const name = z.string().min(1).max(255).optional();

export const snapshotSchema = z
  .strictObject({
    snapshotId: entryId,
    contextId: pathName,
    name,
    reason: z.string().optional().describe('Why it was made, where nobody asked for it: before a restore.'),
    createdBy: z.string().describe('The user, and the agent behind a slash.'),
    entryCount: z.int(),
    createdAt: isoTime,
  })
  .describe('Which version each entry of a context had at one moment.');

export type Snapshot = z.output<typeof snapshotSchema>;

export const fullSnapshotSchema = snapshotSchema.extend({
  items: z.array(snapshotItemSchema).describe('The entries with their versions; the texts stay with the entries.'),
});

export type FullSnapshot = z.output<typeof fullSnapshotSchema>;

export const createSnapshotInputSchema = z.strictObject({ contextId: pathName, name });

export type CreateSnapshotInput = z.output<typeof createSnapshotInputSchema>;

export const snapshotIdInputSchema = z.strictObject({ contextId: pathName, snapshotId: entryId });

export type SnapshotIdInput = z.output<typeof snapshotIdInputSchema>;

export const listSnapshotsInputSchema = z.strictObject({ contextId: pathName, ...paged });

export type ListSnapshotsInput = z.output<typeof listSnapshotsInputSchema>;

export const listSnapshotsOutputSchema = z.strictObject({
  snapshots: z.array(snapshotSchema).describe('Newest first.'),
  ...page,
});

export type ListSnapshotsOutput = z.output<typeof listSnapshotsOutputSchema>;

export const compareSnapshotInputSchema = snapshotIdInputSchema.extend({
  otherSnapshotId: entryId.optional().describe('The snapshot to compare with. Default: the context as it is now.'),
});

export type CompareSnapshotInput = z.output<typeof compareSnapshotInputSchema>;

const stateSchema = z.strictObject({
  entryId,
  version: z.int(),
  isArchived: z.boolean(),
  content: z.string().nullable().describe('Null where the entry was deleted since: then its text is gone.'),
});

const listedStateSchema = stateSchema.extend({ key: z.string() });

export type ListedState = z.output<typeof listedStateSchema>;

const changedStateSchema = z.strictObject({ key: z.string(), before: stateSchema, after: stateSchema });

export type ChangedState = z.output<typeof changedStateSchema>;

const sideSchema = z.strictObject({
  snapshotId: entryId.nullable().describe('Null for the context as it is now.'),
  at: isoTime,
});

export const compareSnapshotOutputSchema = z.strictObject({
  before: sideSchema,
  after: sideSchema,
  added: z.array(listedStateSchema).describe('What is only in the other one, or only there now.'),
  removed: z.array(listedStateSchema).describe('What is only in the snapshot.'),
  changed: z.array(changedStateSchema).describe('What says something else, or was archived or taken back.'),
  unchangedCount: z.int(),
});

export type CompareSnapshotOutput = z.output<typeof compareSnapshotOutputSchema>;

export const restoreSnapshotOutputSchema = z.strictObject({
  undoSnapshotId: entryId
    .nullable()
    .describe('A snapshot of how it was before: restore that to undo this. Null where there was nothing to do.'),
  restored: z.array(z.string()).describe('Keys of entries that got a new version that says what they said then.'),
  archived: z.array(z.string()).describe('Keys of entries that were made since.'),
  missing: z.array(z.string()).describe('Keys of entries that were deleted since, for good.'),
  unchangedCount: z.int(),
});

export type RestoreSnapshotOutput = z.output<typeof restoreSnapshotOutputSchema>;
