/** The tables of every kind of record. */

import type { ApiKeyRecord } from '../../domain/api-key.ts';
import type { ContextAccessRecord, ContextRecord, SnapshotRecord } from '../../domain/context.ts';
import type { MaintenanceRunRecord } from '../../domain/maintenance.ts';
import type { PlanContext } from '../../domain/plan-context.ts';
import type { Plan } from '../../domain/plan.ts';
import type { PoolRecord } from '../../domain/pool.ts';
import type { Session } from '../../domain/session.ts';
import type { TaskContextRecord } from '../../domain/task-context.ts';
import type { RecordTable } from './record-table.ts';

const RECORDED = { version: 'integer', createdAt: 'time', updatedAt: 'time' } as const;

export const PLANS: RecordTable<Plan> = {
  name: 'plans',
  key: 'planId',
  owner: 'userId',
  order: 'createdAt',
  columns: {
    planId: 'text',
    userId: 'text',
    sessionId: 'text',
    parentPlanId: 'text',
    goalEvent: 'text',
    goalData: 'json',
    responseEvent: 'text',
    status: 'text',
    state: 'json',
    ...RECORDED,
  },
};

export const PLAN_CONTEXTS: RecordTable<PlanContext> = {
  name: 'plan_context',
  key: 'planId',
  order: 'createdAt',
  links: 'correlationIds',
  columns: {
    planId: 'text',
    sessionId: 'text',
    goalEvent: 'text',
    goalData: 'json',
    responseEvent: 'text',
    state: 'json',
    currentState: 'text',
    correlationIds: 'json',
    ...RECORDED,
  },
};

export const SESSIONS: RecordTable<Session> = {
  name: 'sessions',
  key: 'sessionId',
  owner: 'userId',
  order: 'lastInteraction',
  columns: {
    sessionId: 'text',
    userId: 'text',
    agentId: 'text',
    name: 'text',
    metadata: 'json',
    lastInteraction: 'time',
    endedAt: 'time',
    ...RECORDED,
  },
};

export const TASK_CONTEXTS: RecordTable<TaskContextRecord> = {
  name: 'task_context',
  key: 'taskId',
  order: 'createdAt',
  links: 'subTasks',
  columns: {
    taskId: 'text',
    planId: 'text',
    eventType: 'text',
    responseEvent: 'text',
    responseTopic: 'text',
    data: 'json',
    subTasks: 'json',
    state: 'json',
    ...RECORDED,
  },
};

/** Without an owner: a key is looked up before anybody is known, and managed by administrators. */
export const API_KEYS: RecordTable<ApiKeyRecord> = {
  name: 'api_keys',
  key: 'keyId',
  user: 'userId',
  order: 'createdAt',
  columns: {
    keyId: 'text',
    name: 'text',
    userId: 'text',
    agentId: 'text',
    roles: 'json',
    secretHash: 'text',
    expiresAt: 'time',
    revokedAt: 'time',
    lastUsedAt: 'time',
    ...RECORDED,
  },
};

export const POOLS: RecordTable<PoolRecord> = {
  name: 'pools',
  key: 'poolId',
  owner: 'ownerId',
  members: 'members',
  order: 'createdAt',
  columns: {
    poolId: 'text',
    ownerId: 'text',
    agentId: 'text',
    type: 'text',
    scope: 'text',
    scopeId: 'text',
    workflowRunId: 'text',
    name: 'text',
    metadata: 'json',
    access: 'json',
    members: 'json',
    expiresAt: 'time',
    ...RECORDED,
  },
};

export const CONTEXTS: RecordTable<ContextRecord> = {
  name: 'contexts',
  key: 'contextId',
  owner: 'ownerId',
  members: 'members',
  order: 'createdAt',
  columns: {
    contextId: 'text',
    ownerId: 'text',
    agentId: 'text',
    type: 'text',
    scope: 'text',
    scopeId: 'text',
    name: 'text',
    description: 'text',
    metadata: 'json',
    access: 'json',
    members: 'json',
    status: 'text',
    archivedAt: 'time',
    ...RECORDED,
  },
};

export const CONTEXT_SNAPSHOTS: RecordTable<SnapshotRecord> = {
  name: 'context_snapshots',
  key: 'snapshotId',
  owner: 'ownerId',
  order: 'createdAt',
  columns: {
    snapshotId: 'text',
    contextId: 'text',
    ownerId: 'text',
    name: 'text',
    reason: 'text',
    createdBy: 'text',
    items: 'json',
    ...RECORDED,
  },
};

export const CONTEXT_ACCESSES: RecordTable<ContextAccessRecord> = {
  name: 'context_accesses',
  key: 'accessId',
  owner: 'ownerId',
  order: 'createdAt',
  columns: {
    accessId: 'text',
    contextId: 'text',
    ownerId: 'text',
    actorId: 'text',
    agentId: 'text',
    action: 'text',
    entryKey: 'text',
    ...RECORDED,
  },
};

/** Without an owner: administrators start and read them. */
export const MAINTENANCE_RUNS: RecordTable<MaintenanceRunRecord> = {
  name: 'maintenance_runs',
  key: 'runId',
  order: 'startedAt',
  columns: {
    runId: 'text',
    job: 'text',
    status: 'text',
    trigger: 'text',
    dryRun: 'boolean',
    startedAt: 'time',
    finishedAt: 'time',
    durationMs: 'integer',
    counts: 'json',
    changes: 'json',
    error: 'text',
    progress: 'json',
    ...RECORDED,
  },
};
