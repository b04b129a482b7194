/** Records of pools, contexts and maintenance as the engine contract writes them: with what they need, and no more. */

import type { ContextAccessRecord, ContextRecord, SnapshotRecord } from '../domain/context.ts';
import type { MaintenanceRunRecord } from '../domain/maintenance.ts';
import type { PoolRecord } from '../domain/pool.ts';
import { membersOf, type AccessControl } from '../domain/sharing.ts';
import type { Draft } from '../ports/record-store.ts';

const TIMES = { createdAt: '2026-03-04T08:00:00.000Z', updatedAt: '2026-03-04T08:00:00.000Z' };

const NOBODY: AccessControl = { read: [], write: [], publicRead: false };

/** Of `u`, who alone sees it, unless said otherwise. */
export function poolDraft(poolId: string, fields: Partial<PoolRecord> = {}): Draft<PoolRecord> {
  const access = fields.access ?? NOBODY;
  const shared = { access, members: membersOf(access) };
  return { poolId, ownerId: 'u', type: 'shared', scope: 'account', metadata: {}, ...TIMES, ...fields, ...shared };
}

/** The same. */
export function contextDraft(contextId: string, fields: Partial<ContextRecord> = {}): Draft<ContextRecord> {
  const access = fields.access ?? NOBODY;
  const shared = { access, members: membersOf(access) };
  const context = { contextId, ownerId: 'u', type: 'knowledge_base', scope: 'account', status: 'active' } as const;
  return { ...context, metadata: {}, ...TIMES, ...fields, ...shared };
}

export function snapshotDraft(snapshotId: string, fields: Partial<SnapshotRecord> = {}): Draft<SnapshotRecord> {
  return { snapshotId, contextId: 'c', ownerId: 'u', createdBy: 'u', items: [], ...TIMES, ...fields };
}

export function accessDraft(accessId: string, fields: Partial<ContextAccessRecord> = {}): Draft<ContextAccessRecord> {
  return { accessId, contextId: 'c', ownerId: 'u', actorId: 'u', action: 'read', ...TIMES, ...fields };
}

export function runDraft(runId: string, fields: Partial<MaintenanceRunRecord> = {}): Draft<MaintenanceRunRecord> {
  const run = { runId, job: 'expiry', status: 'running', trigger: 'schedule', dryRun: false } as const;
  return { ...run, startedAt: TIMES.createdAt, counts: {}, changes: [], progress: {}, ...TIMES, ...fields };
}
