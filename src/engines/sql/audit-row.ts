/** Entries of the audit log as rows and back. */

import type { AuditEntry } from '../../domain/audit.ts';

export interface AuditRow {
  readonly id: string;
  readonly action: AuditEntry['action'];
  readonly actor: string;
  /** JSON text. */
  readonly details: string;
  /** Milliseconds. */
  readonly at: number;
}

/** Id, action, actor, details and time. */
export function auditCellsOf({ id, action, actor, at, ...details }: AuditEntry): (string | number)[] {
  return [id, action, actor, JSON.stringify(details), Date.parse(at)];
}

export function auditEntryOf({ id, action, actor, at, details }: AuditRow): AuditEntry {
  const rest = JSON.parse(details) as Pick<AuditEntry, 'keyId' | 'receipt'>;
  return { id, action, actor, at: new Date(at).toISOString(), ...rest };
}
