/** Short-term memory: what an agent keeps in mind for a session. */

import { deleteOutputSchema } from '../domain/forget.ts';
import {
  clearShortTermOutputSchema,
  deleteShortTermInputSchema,
  listShortTermInputSchema,
  listShortTermOutputSchema,
  shortTermItemSchema,
  shortTermKeyInputSchema,
  shortTermSessionInputSchema,
  shortTermStatsSchema,
  writeShortTermInputSchema,
  type ShortTermItem,
} from '../domain/short-term.ts';
import { operation } from './operation.ts';

const GROUP = 'Short-term memory';
const SESSION_PATH = '/v1/memory/short-term/{session_id}';
const KEY_PATH = `${SESSION_PATH}/{key}`;

const SESSION = { sessionId: 'sess-123', agentId: 'research-advisor' };
const KEY = { ...SESSION, key: 'task_result' };
const ITEM: ShortTermItem = {
  ...KEY,
  type: 'tool_result',
  value: { output: 'Three sources found.' },
  ttlSeconds: 3600,
  expiresAt: '2026-11-15T10:30:00.000Z',
  accessCount: 0,
  version: 7,
  createdAt: '2026-11-15T09:30:00.000Z',
  updatedAt: '2026-11-15T09:30:00.000Z',
};
const { sessionId: _session, agentId: _agent, ...LISTED } = ITEM;

export const shortTermOperations = {
  'shortTerm.write': operation({
    group: GROUP,
    summary: 'Store a value in short-term memory, for the session.',
    description:
      'Only you and the agent can access it. Replaces value, type and time to live. With `If-Match`, only if that is ' +
      'still its version; with `If-Match: 0`, only if there is no value.',
    input: writeShortTermInputSchema,
    output: shortTermItemSchema,
    http: { method: 'PUT', path: KEY_PATH, status: 200, ifMatch: 'ifVersion', ifNoneMatch: true, query: ['agentId'] },
    example: { input: { ...KEY, value: ITEM.value, type: 'tool_result' }, output: ITEM },
  }),
  'shortTerm.get': operation({
    group: GROUP,
    summary: 'Read a value of the session; the read is counted.',
    description: 'A value that was read three times becomes long-term memory when the session is consolidated.',
    input: shortTermKeyInputSchema,
    output: shortTermItemSchema,
    http: { method: 'GET', path: KEY_PATH, status: 200 },
    absent: { output: null, code: 'NOT_FOUND' },
    example: { input: KEY, output: ITEM },
  }),
  'shortTerm.list': operation({
    group: GROUP,
    summary: 'List the values of the session, page by page; does not count as a read.',
    input: listShortTermInputSchema,
    output: listShortTermOutputSchema,
    http: { method: 'GET', path: SESSION_PATH, status: 200 },
    example: { input: SESSION, output: { ...SESSION, items: [LISTED], count: 1, nextCursor: null } },
  }),
  'shortTerm.delete': operation({
    group: GROUP,
    summary: 'Delete a value of the session.',
    input: deleteShortTermInputSchema,
    output: deleteOutputSchema,
    http: { method: 'DELETE', path: KEY_PATH, status: 204, ifMatch: 'ifVersion' },
    absent: { output: { success: false }, code: 'NOT_FOUND' },
    empty: { success: true },
    example: { input: KEY, output: { success: true } },
  }),
  'shortTerm.clear': operation({
    group: GROUP,
    summary: 'Delete all values of the session.',
    input: shortTermSessionInputSchema,
    output: clearShortTermOutputSchema,
    http: { method: 'DELETE', path: SESSION_PATH, status: 200 },
    example: { input: SESSION, output: { ...SESSION, deletedCount: 5 } },
  }),
  'shortTerm.refreshTtl': operation({
    group: GROUP,
    summary: 'Restart the time to live of a value.',
    description: 'To its own `ttl_seconds` from now. A value that has expired cannot be refreshed.',
    input: shortTermKeyInputSchema,
    output: shortTermItemSchema,
    http: { method: 'POST', path: `${KEY_PATH}/refresh`, status: 200, query: ['agentId'] },
    errors: ['NOT_FOUND'],
    example: { input: KEY, output: { ...ITEM, expiresAt: '2026-11-15T10:45:00.000Z', version: 9 } },
  }),
  'shortTerm.stats': operation({
    group: GROUP,
    summary: 'Count the values of the session, their bytes and their reads.',
    input: shortTermSessionInputSchema,
    output: shortTermStatsSchema,
    http: { method: 'GET', path: '/v1/memory/stats/short-term/{session_id}', status: 200 },
    example: { input: SESSION, output: { ...SESSION, count: 4, bytes: 812, accesses: 9 } },
  }),
} as const;
