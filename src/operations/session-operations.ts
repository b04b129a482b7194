/** Sessions: conversations, which may hold several plans. */

import { deleteOutputSchema } from '../domain/forget.ts';
import {
  createSessionInputSchema,
  deleteSessionInputSchema,
  listSessionsInputSchema,
  listSessionsOutputSchema,
  sessionIdInputSchema,
  sessionSchema,
  updateSessionInputSchema,
  updateSessionOutputSchema,
  type Session,
} from '../domain/session.ts';
import { operation } from './operation.ts';

const GROUP = 'Sessions';
const PATH = '/v1/memory/sessions';

const SESSION: Session = {
  sessionId: 'sess-456',
  userId: 'local',
  agentId: 'research-advisor',
  metadata: { source: 'web-ui' },
  lastInteraction: '2026-01-11T10:30:00.000Z',
  version: 3,
  createdAt: '2026-01-11T09:00:00.000Z',
  updatedAt: '2026-01-11T10:30:00.000Z',
};

export const sessionOperations = {
  'sessions.create': operation({
    group: GROUP,
    summary: 'Begin a session.',
    description:
      'Only its user can see and change a session. An id that is taken is refused with 409. ' +
      '`agent_id` defaults to the calling agent, if there is one.',
    input: createSessionInputSchema,
    output: sessionSchema,
    http: { method: 'POST', path: PATH, status: 201 },
    errors: ['VERSION_CONFLICT'],
    isRepeatable: false,
    example: {
      input: { sessionId: 'sess-456', agentId: 'research-advisor', metadata: { source: 'web-ui' } },
      output: SESSION,
    },
  }),
  'sessions.list': operation({
    group: GROUP,
    summary: 'List your sessions, last interaction first.',
    description: 'A session that is used while you page moves to the front and does not appear on later pages.',
    input: listSessionsInputSchema,
    output: listSessionsOutputSchema,
    http: { method: 'GET', path: PATH, status: 200 },
    example: { input: { limit: 10 }, output: { sessions: [SESSION], count: 1, nextCursor: null } },
  }),
  'sessions.get': operation({
    group: GROUP,
    summary: 'Read a session.',
    input: sessionIdInputSchema,
    output: sessionSchema,
    http: { method: 'GET', path: `${PATH}/{sessionId}`, status: 200 },
    absent: { output: null, code: 'NOT_FOUND' },
    example: { input: { sessionId: 'sess-456' }, output: SESSION },
  }),
  'sessions.update': operation({
    group: GROUP,
    summary: 'Touch a session, change parts of it, or end it.',
    description:
      'Every change, even an empty one, is an interaction: `last_interaction` becomes now unless it is given. With ' +
      '`cascade=true`, ending a session deletes the working memory of your plans in it; everything else stays. If the service ' +
      'is configured for it, important memories of the session layer become memories of the user when it ends.',
    input: updateSessionInputSchema,
    output: updateSessionOutputSchema,
    http: { method: 'PUT', path: `${PATH}/{sessionId}`, status: 200, ifMatch: 'ifVersion', query: ['cascade'] },
    errors: ['NOT_FOUND'],
    example: {
      input: { sessionId: 'sess-456', lastInteraction: '2026-01-11T10:35:00Z' },
      output: { ...SESSION, lastInteraction: '2026-01-11T10:35:00.000Z', version: 5 },
    },
  }),
  'sessions.delete': operation({
    group: GROUP,
    summary: 'Delete a session.',
    description:
      'With `cascade=true`, also deletes your plans in it with their working memory, plan contexts and task contexts, its ' +
      'short-term memory (only the agent’s own if an agent calls), and your memories in the session layer. A plan context ' +
      'of any other plan stays.',
    input: deleteSessionInputSchema,
    output: deleteOutputSchema,
    http: { method: 'DELETE', path: `${PATH}/{sessionId}`, status: 204 },
    absent: { output: { success: false }, code: 'NOT_FOUND' },
    empty: { success: true },
    example: { input: { sessionId: 'sess-456', cascade: true }, output: { success: true } },
  }),
} as const;
