/** The tables of every kind of record. */

import type { ApiKeyRecord } from '../../domain/api-key.ts';
import type { PlanContext } from '../../domain/plan-context.ts';
import type { Plan } from '../../domain/plan.ts';
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
