/** Snapshots of a context: the version of each entry at one moment, to compare with and to restore. */

import { z } from 'zod';
import { snapshotItemSchema } from './context.ts';
import { entryId, isoTime, pathName } from './entry.ts';
import { page, paged } from './record.ts';

/** How many entries a context may have to be processed as a whole: for a snapshot, a clone or an export. */
export const MAX_WHOLE_ENTRIES = 10_000;

const name = z.string().min(1).max(255).optional();

export const snapshotSchema = z
  .strictObject({
    snapshotId: entryId,
    contextId: pathName,
    name,
    reason: z.string().optional().describe('Why it was taken automatically: before a restore.'),
    createdBy: z.string().describe('The user, and the agent after a slash.'),
    entryCount: z.int(),
    createdAt: isoTime,
  })
  .describe('The version of each entry of a context at one moment.');

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
  content: z.string().nullable().describe('Null if the entry was deleted since: then its text is gone.'),
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
  added: z.array(listedStateSchema).describe('Entries only in the other snapshot, or only in the context now.'),
  removed: z.array(listedStateSchema).describe('Entries only in this snapshot.'),
  changed: z.array(changedStateSchema).describe('Entries with other content, or archived or unarchived since.'),
  unchangedCount: z.int(),
});

export type CompareSnapshotOutput = z.output<typeof compareSnapshotOutputSchema>;

export const restoreSnapshotOutputSchema = z.strictObject({
  undoSnapshotId: entryId
    .nullable()
    .describe('A snapshot of the state before: restore it to undo this. Null if there was nothing to do.'),
  restored: z.array(z.string()).describe('Keys of entries that got a new version with the old content.'),
  archived: z.array(z.string()).describe('Keys of entries created since.'),
  missing: z.array(z.string()).describe('Keys of entries deleted for good since.'),
  unchangedCount: z.int(),
});

export type RestoreSnapshotOutput = z.output<typeof restoreSnapshotOutputSchema>;
