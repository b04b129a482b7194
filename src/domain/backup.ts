/** The manifest of a backup: its files, and how to verify them. */

import { z } from 'zod';
import { isoTime } from './entry.ts';

export const BACKUP_FORMAT = 'lamina-backup';
export const BACKUP_VERSION = 1;

const fileSchema = z.strictObject({
  /** Relative to the manifest. No other path is accepted, since a manifest may come from anywhere. */
  name: z.string().regex(/^(system|tenants\/[0-9a-f-]{36})\.db$/, 'is no file of a backup'),
  bytes: z.int().min(0),
  sha256: z.string().regex(/^[0-9a-f]{64}$/, 'must be 64 hexadecimal digits'),
  /** The number of its last migration. */
  schema: z.int().min(0),
  /** When it was read: a file is a snapshot of that moment. */
  at: isoTime,
  /** Rows by table. */
  rows: z.record(z.string(), z.int().min(0)),
});

export type BackupFile = z.output<typeof fileSchema>;

export const backupManifestSchema = z.strictObject({
  format: z.literal(BACKUP_FORMAT),
  version: z.literal(BACKUP_VERSION),
  laminaVersion: z.string(),
  startedAt: isoTime,
  completedAt: isoTime,
  files: z.array(fileSchema),
});

export type BackupManifest = z.output<typeof backupManifestSchema>;
