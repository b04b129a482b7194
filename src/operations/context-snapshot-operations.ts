/** Snapshots of contexts: to compare with, and to go back to. */

import {
  compareSnapshotInputSchema,
  compareSnapshotOutputSchema,
  createSnapshotInputSchema,
  fullSnapshotSchema,
  listSnapshotsInputSchema,
  listSnapshotsOutputSchema,
  restoreSnapshotOutputSchema,
  snapshotIdInputSchema,
  snapshotSchema,
  type Snapshot,
} from '../domain/context-snapshot.ts';
import { deleteOutputSchema } from '../domain/forget.ts';
import { EXAMPLE_ENTRY } from './entry-operations.ts';
import { operation } from './operation.ts';

const GROUP = 'Context snapshots';
const SNAPSHOTS_PATH = '/v1/memory/contexts/{context_id}/snapshots';
const PATH = `${SNAPSHOTS_PATH}/{snapshot_id}`;
const CONTEXT_ID = { contextId: 'atlas' };
const ID = { ...CONTEXT_ID, snapshotId: '01990b2e-6f3a-7cc1-9d54-3b7a1f0c2ea0' };
const TIME = EXAMPLE_ENTRY.createdAt;

const SNAPSHOT: Snapshot = { ...ID, name: 'before the move', createdBy: 'local', entryCount: 1, createdAt: TIME };
const STATE = { entryId: EXAMPLE_ENTRY.id, version: 1, isArchived: false };

export const contextSnapshotOperations = {
  'contextSnapshots.create': operation({
    group: GROUP,
    summary: 'Take a snapshot: record the current version of each entry of a context.',
    description: 'Up to 10,000 entries, archived ones too. It holds no text, so that what is deleted stays deleted.',
    input: createSnapshotInputSchema,
    output: snapshotSchema,
    http: { method: 'POST', path: SNAPSHOTS_PATH, status: 201 },
    errors: ['NOT_FOUND', 'FORBIDDEN', 'LIMIT_EXCEEDED'],
    isRepeatable: false,
    example: { input: { ...CONTEXT_ID, name: 'before the move' }, output: SNAPSHOT },
  }),
  'contextSnapshots.list': operation({
    group: GROUP,
    summary: 'List the snapshots of a context, newest first.',
    input: listSnapshotsInputSchema,
    output: listSnapshotsOutputSchema,
    http: { method: 'GET', path: SNAPSHOTS_PATH, status: 200 },
    errors: ['NOT_FOUND'],
    example: { input: CONTEXT_ID, output: { snapshots: [SNAPSHOT], count: 1, nextCursor: null } },
  }),
  'contextSnapshots.get': operation({
    group: GROUP,
    summary: 'Read a snapshot with its entries and their versions.',
    input: snapshotIdInputSchema,
    output: fullSnapshotSchema,
    http: { method: 'GET', path: PATH, status: 200 },
    absent: { output: null, code: 'NOT_FOUND' },
    example: {
      input: ID,
      output: {
        ...SNAPSHOT,
        items: [{ ...STATE, key: 'database', contentHash: EXAMPLE_ENTRY.contentHash }],
      },
    },
  }),
  'contextSnapshots.compare': operation({
    group: GROUP,
    summary: 'Compare a snapshot with another one, or with the context as it is now.',
    description: 'By key. A later version with the same content is not a change.',
    input: compareSnapshotInputSchema,
    output: compareSnapshotOutputSchema,
    http: { method: 'GET', path: `${PATH}/compare`, status: 200 },
    errors: ['NOT_FOUND', 'LIMIT_EXCEEDED'],
    example: {
      input: ID,
      output: {
        before: { snapshotId: ID.snapshotId, at: TIME },
        after: { snapshotId: null, at: '2026-11-15T10:00:00.000Z' },
        added: [],
        removed: [],
        changed: [
          {
            key: 'database',
            before: { ...STATE, content: 'Atlas runs on PostgreSQL 16.' },
            after: { ...STATE, version: 2, content: 'Atlas runs on PostgreSQL 17.' },
          },
        ],
        unchangedCount: 0,
      },
    },
  }),
  'contextSnapshots.restore': operation({
    group: GROUP,
    summary: 'Restore a snapshot.',
    description:
      'Entries that differ get a new version with the old content; archived ones come back; those created since are ' +
      'archived; those deleted for good are `missing`. A snapshot of the state before is taken first: restore that ' +
      '(`undo_snapshot_id`) to undo. Restoring twice changes nothing more.',
    input: snapshotIdInputSchema,
    output: restoreSnapshotOutputSchema,
    http: { method: 'POST', path: `${PATH}/restore`, status: 200 },
    errors: ['NOT_FOUND', 'FORBIDDEN', 'LIMIT_EXCEEDED', 'EMBEDDING_FAILED'],
    isRepeatable: false,
    example: {
      input: ID,
      output: {
        undoSnapshotId: '01990b2e-6f3a-7cc1-9d54-3b7a1f0c2eb0',
        restored: ['database'],
        archived: [],
        missing: [],
        unchangedCount: 0,
      },
    },
  }),
  'contextSnapshots.delete': operation({
    group: GROUP,
    summary: 'Delete a snapshot. The entries stay as they are.',
    input: snapshotIdInputSchema,
    output: deleteOutputSchema,
    http: { method: 'DELETE', path: PATH, status: 204 },
    absent: { output: { success: false }, code: 'NOT_FOUND' },
    empty: { success: true },
    errors: ['FORBIDDEN'],
    example: { input: ID, output: { success: true } },
  }),
} as const;
