/** Entries of the audit log as rows and back, and how they are linked as they are written. */

import { hash } from 'node:crypto';
import type { AuditEntry } from '../../domain/audit.ts';
import { isNext, linkAfter, sealOf, type ChainHead, type LoggedEntry } from '../../domain/audit-chain.ts';

export interface AuditRow {
  readonly id: string;
  readonly action: AuditEntry['action'];
  readonly actor: string;
  /** JSON text. */
  readonly details: string;
  /** Milliseconds. */
  readonly at: number;
  /** 0 before there was a chain. */
  readonly sequence: number;
  readonly previous: string;
  readonly hash: string;
}

/** In the log that outlives tenants. */
export interface BeyondRow extends AuditRow {
  /** Empty for what was done to all of them. */
  readonly tenantHash: string;
}

/** As {@link auditCellsOf} gives them. */
export const AUDIT_COLUMNS = 'id, action, actor, details, at, sequence, previous, hash';

/** Id, action, actor, details, time and link. */
export function auditCellsOf(entry: AuditEntry): (string | number)[] {
  const { id, action, actor, at, sequence = 0, previous = '', hash: own = '', ...details } = entry;
  return [id, action, actor, JSON.stringify(details), Date.parse(at), sequence, previous, own];
}

export function auditEntryOf({ id, action, actor, at, details, sequence, previous, hash: own }: AuditRow): AuditEntry {
  const rest = JSON.parse(details) as Pick<AuditEntry, 'keyId' | 'receipt' | 'about'>;
  const link = sequence === 0 ? {} : { sequence, previous, hash: own };
  return { id, action, actor, at: new Date(at).toISOString(), ...rest, ...link };
}

export function sha256(text: string): string {
  return hash('sha256', text);
}

/** Where the chain stands: at its last row, or on the seal over all rows that have no link. */
export function headOf(last: AuditRow | undefined, unlinked: () => readonly LoggedEntry[]): ChainHead {
  if (last !== undefined && last.sequence > 0) return { sequence: last.sequence, hash: last.hash };
  return { sequence: 0, hash: sealOf(sha256, unlinked()) };
}

/** The entries as they follow on the head: as they came where their links fit, else linked anew. */
export function linkedTo(head: ChainHead, items: readonly LoggedEntry[]): LoggedEntry[] {
  let at = head;
  return items.map(({ log, entry }) => {
    const stored = { ...entry, at: new Date(entry.at).toISOString() };
    const linked = isNext(sha256, log, at, stored) ? stored : linkAfter(sha256, log, at, stored);
    at = linked;
    return { log, entry: linked };
  });
}

/** Those that come from a log without a chain: they stay without, as long as there is none here either. */
export function unlinkedAmong(head: ChainHead, items: readonly LoggedEntry[]): LoggedEntry[] {
  return head.sequence > 0 ? [] : items.filter(({ entry }) => entry.sequence === undefined);
}
