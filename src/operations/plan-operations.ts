/** Plans, and the state machines of those who carry them out. */

import { deleteOutputSchema } from '../domain/forget.ts';
import {
  correlationInputSchema,
  planContextIdInputSchema,
  planContextSchema,
  savePlanContextInputSchema,
  updatePlanContextInputSchema,
  type PlanContext,
} from '../domain/plan-context.ts';
import {
  createPlanInputSchema,
  deletePlanInputSchema,
  listPlansInputSchema,
  listPlansOutputSchema,
  planIdInputSchema,
  planSchema,
  updatePlanInputSchema,
  type Plan,
} from '../domain/plan.ts';
import { operation } from './operation.ts';

const PLANS = '/v1/memory/plans';
const CONTEXTS = '/v1/memory/plan-context';
const ABSENT = { output: null, code: 'NOT_FOUND' } as const;

const PLAN: Plan = {
  planId: 'plan-123',
  userId: 'local',
  sessionId: 'sess-456',
  goalEvent: 'research.goal',
  goalData: { topic: 'AI trends' },
  status: 'running',
  state: {},
  version: 7,
  createdAt: '2026-01-11T10:00:00.000Z',
  updatedAt: '2026-01-11T10:05:00.000Z',
};

const MACHINE = {
  states: {
    start: { transitions: [{ on_event: 'search.done', to_state: 'writing' }] },
    writing: { transitions: [{ on_event: 'report.done', to_state: 'done' }] },
    done: { is_terminal: true },
  },
};

const CONTEXT: PlanContext = {
  planId: 'plan-123',
  sessionId: 'sess-456',
  goalEvent: 'research.goal',
  goalData: { topic: 'AI trends' },
  responseEvent: 'research.completed',
  state: MACHINE,
  currentState: 'start',
  correlationIds: ['task-1', 'task-2'],
  version: 8,
  createdAt: '2026-01-11T10:00:00.000Z',
  updatedAt: '2026-01-11T10:05:00.000Z',
};

export const planOperations = {
  'plans.create': operation({
    group: 'Plans',
    summary: 'Record a plan.',
    description: 'Only its user can see and change a plan. An id that is taken is refused with 409.',
    input: createPlanInputSchema,
    output: planSchema,
    http: { method: 'POST', path: PLANS, status: 201 },
    errors: ['VERSION_CONFLICT'],
    isRepeatable: false,
    example: {
      input: {
        planId: 'plan-123',
        sessionId: 'sess-456',
        goalEvent: 'research.goal',
        goalData: { topic: 'AI trends' },
        status: 'running',
      },
      output: PLAN,
    },
  }),
  'plans.list': operation({
    group: 'Plans',
    summary: 'List your plans, newest first.',
    input: listPlansInputSchema,
    output: listPlansOutputSchema,
    http: { method: 'GET', path: PLANS, status: 200 },
    example: { input: { status: 'active', limit: 10 }, output: { plans: [PLAN], count: 1, nextCursor: null } },
  }),
  'plans.get': operation({
    group: 'Plans',
    summary: 'Read a plan.',
    input: planIdInputSchema,
    output: planSchema,
    http: { method: 'GET', path: `${PLANS}/{planId}`, status: 200 },
    absent: ABSENT,
    example: { input: { planId: 'plan-123' }, output: PLAN },
  }),
  'plans.update': operation({
    group: 'Plans',
    summary: 'Change parts of a plan.',
    description:
      'Given fields replace the old ones. A finished plan (completed, failed, cancelled) stays finished: ' +
      'another status is refused with 409. With `cascade=true`, finishing a plan deletes its working memory, ' +
      'pools, plan context and task contexts.',
    input: updatePlanInputSchema,
    output: planSchema,
    http: { method: 'PUT', path: `${PLANS}/{planId}`, status: 200, ifMatch: 'ifVersion', query: ['cascade'] },
    errors: ['NOT_FOUND'],
    example: {
      input: { planId: 'plan-123', status: 'completed', state: { report: 'final.md' }, cascade: true },
      output: { ...PLAN, status: 'completed', state: { report: 'final.md' }, version: 12 },
    },
  }),
  'plans.delete': operation({
    group: 'Plans',
    summary: 'Delete a plan.',
    description: 'With `cascade=true` also its working memory, pools, plan context and task contexts.',
    input: deletePlanInputSchema,
    output: deleteOutputSchema,
    http: { method: 'DELETE', path: `${PLANS}/{planId}`, status: 204 },
    absent: { output: { success: false }, code: 'NOT_FOUND' },
    empty: { success: true },
    example: { input: { planId: 'plan-123', cascade: true }, output: { success: true } },
  }),
  'planContexts.save': operation({
    group: 'Plan contexts',
    summary: "Store a planner's state machine, or replace it.",
    description:
      'Everyone in the tenant can read and change it. If `state.states` lists the states of the machine, ' +
      '`current_state` must be one of them.',
    input: savePlanContextInputSchema,
    output: planContextSchema,
    http: { method: 'POST', path: CONTEXTS, status: 201 },
    example: {
      input: {
        planId: 'plan-123',
        sessionId: 'sess-456',
        goalEvent: 'research.goal',
        goalData: { topic: 'AI trends' },
        responseEvent: 'research.completed',
        state: MACHINE,
        currentState: 'start',
        correlationIds: ['task-1', 'task-2'],
      },
      output: CONTEXT,
    },
  }),
  'planContexts.get': operation({
    group: 'Plan contexts',
    summary: "Read a planner's state machine.",
    input: planContextIdInputSchema,
    output: planContextSchema,
    http: { method: 'GET', path: `${CONTEXTS}/{planId}`, status: 200 },
    absent: ABSENT,
    example: { input: { planId: 'plan-123' }, output: CONTEXT },
  }),
  'planContexts.byCorrelation': operation({
    group: 'Plan contexts',
    summary: 'Find the plan to which an event belongs.',
    description: 'By the id of the plan itself, else by an id that it lists; if several list it, the newest one.',
    input: correlationInputSchema,
    output: planContextSchema,
    http: { method: 'GET', path: `${CONTEXTS}/by-correlation/{correlationId}`, status: 200 },
    absent: ABSENT,
    example: { input: { correlationId: 'task-1' }, output: CONTEXT },
  }),
  'planContexts.update': operation({
    group: 'Plan contexts',
    summary: "Move a planner's state machine, or change parts of it.",
    description: 'Given fields replace the old ones; the others stay.',
    input: updatePlanContextInputSchema,
    output: planContextSchema,
    http: { method: 'PUT', path: `${CONTEXTS}/{planId}`, status: 200, ifMatch: 'ifVersion' },
    errors: ['NOT_FOUND'],
    example: {
      input: { planId: 'plan-123', currentState: 'writing', ifVersion: 8 },
      output: { ...CONTEXT, currentState: 'writing', version: 9 },
    },
  }),
  'planContexts.delete': operation({
    group: 'Plan contexts',
    summary: "Delete a planner's state machine.",
    input: planContextIdInputSchema,
    output: deleteOutputSchema,
    http: { method: 'DELETE', path: `${CONTEXTS}/{planId}`, status: 204 },
    absent: { output: { success: false }, code: 'NOT_FOUND' },
    empty: { success: true },
    example: { input: { planId: 'plan-123' }, output: { success: true } },
  }),
} as const;
