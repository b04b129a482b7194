/** The manifest of a backup: which files it has, and how to see that they are as they were written. */

import { z } from 'zod';
import { isoTime } from './entry.ts';

export const BACKUP_FORMAT = 'lamina-backup';
export const BACKUP_VERSION = 1;

const fileSchema = z.strictObject({
  /** Relative to the manifest. Nothing else can be named, wherever a manifest comes from. */
  name: z.string().regex(/^(system|tenants\/[0-9a-f-]{36})\.db$/, 'is no file of a backup'),
  bytes: z.int().min(0),
  sha256: z.string().regex(/^[0-9a-f]{64}$/, 'must be 64 hexadecimal digits'),
  /** The number of its last migration. */
  schema: z.int().min(0),
  /** When it was read: all of a file is of that moment. */
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
