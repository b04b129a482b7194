/** Working memory: JSON values under keys, shared by all who work on a plan. */

import { deleteOutputSchema } from '../domain/forget.ts';
import {
  appendWorkingInputSchema,
  clearWorkingOutputSchema,
  deleteWorkingInputSchema,
  incrementWorkingInputSchema,
  listWorkingInputSchema,
  listWorkingOutputSchema,
  mergeWorkingInputSchema,
  setWorkingInputSchema,
  workingItemSchema,
  workingKeyInputSchema,
  workingPlanInputSchema,
  type WorkingItem,
} from '../domain/working.ts';
import { operation } from './operation.ts';

const GROUP = 'Working memory';
const PLAN_PATH = '/v1/memory/working/{plan_id}';
const KEY_PATH = `${PLAN_PATH}/{key}`;
const PLAN = { planId: 'plan-123' };

const KEY = { ...PLAN, key: 'account_id' };
const TIMES = { createdAt: '2026-11-15T09:30:00.000Z', updatedAt: '2026-11-15T09:30:00.000Z' };
const ITEM: WorkingItem = { ...KEY, value: 'acc_123', version: 7, ...TIMES };
const { planId: _, ...LISTED } = ITEM;

export const workingOperations = {
  'working.set': operation({
    group: GROUP,
    summary: 'Set a value in the working memory that everyone on the plan shares.',
    description:
      'Replaces the value and its time to live. With `If-Match`, only if that is still its version; with `If-Match: 0`, ' +
      'only if there is no value.',
    input: setWorkingInputSchema,
    output: workingItemSchema,
    http: { method: 'PUT', path: KEY_PATH, status: 200, ifMatch: 'ifVersion', ifNoneMatch: true },
    example: { input: { ...KEY, value: 'acc_123' }, output: ITEM },
  }),
  'working.get': operation({
    group: GROUP,
    summary: 'Read a shared value of the plan.',
    input: workingKeyInputSchema,
    output: workingItemSchema,
    http: { method: 'GET', path: KEY_PATH, status: 200 },
    absent: { output: null, code: 'NOT_FOUND' },
    example: { input: KEY, output: ITEM },
  }),
  'working.delete': operation({
    group: GROUP,
    summary: 'Delete a value.',
    input: deleteWorkingInputSchema,
    output: deleteOutputSchema,
    http: { method: 'DELETE', path: KEY_PATH, status: 204, ifMatch: 'ifVersion' },
    absent: { output: { success: false }, code: 'NOT_FOUND' },
    empty: { success: true },
    example: { input: KEY, output: { success: true } },
  }),
  'working.list': operation({
    group: GROUP,
    summary: 'Read all keys of the plan with their values, page by page.',
    input: listWorkingInputSchema,
    output: listWorkingOutputSchema,
    http: { method: 'GET', path: PLAN_PATH, status: 200 },
    example: { input: PLAN, output: { ...PLAN, items: [LISTED], count: 1, nextCursor: null } },
  }),
  'working.clear': operation({
    group: GROUP,
    summary: 'Delete all values of the plan.',
    input: workingPlanInputSchema,
    output: clearWorkingOutputSchema,
    http: { method: 'DELETE', path: PLAN_PATH, status: 200 },
    example: { input: PLAN, output: { ...PLAN, deletedCount: 5 } },
  }),
  'working.increment': operation({
    group: GROUP,
    summary: 'Add to a number, atomically.',
    description: 'A missing value counts as 0. Concurrent increments all count.',
    input: incrementWorkingInputSchema,
    output: workingItemSchema,
    http: { method: 'POST', path: `${KEY_PATH}/increment`, status: 200 },
    isRepeatable: false,
    example: { input: { ...PLAN, key: 'attempts', by: 2 }, output: { ...ITEM, key: 'attempts', value: 2 } },
  }),
  'working.append': operation({
    group: GROUP,
    summary: 'Append items to a list, atomically.',
    description: 'A missing value counts as an empty list.',
    input: appendWorkingInputSchema,
    output: workingItemSchema,
    http: { method: 'POST', path: `${KEY_PATH}/append`, status: 200 },
    isRepeatable: false,
    example: {
      input: { ...PLAN, key: 'findings', items: ['Card expired.'] },
      output: { ...ITEM, key: 'findings', value: ['Card expired.'] },
    },
  }),
  'working.merge': operation({
    group: GROUP,
    summary: 'Set fields of an object, atomically.',
    description: 'A missing value counts as an empty object. Other fields stay as they are.',
    input: mergeWorkingInputSchema,
    output: workingItemSchema,
    http: { method: 'POST', path: `${KEY_PATH}/merge`, status: 200 },
    example: {
      input: { ...PLAN, key: 'progress', fields: { done: 3 } },
      output: { ...ITEM, key: 'progress', value: { total: 4, done: 3 } },
    },
  }),
} as const;
