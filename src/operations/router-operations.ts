/** The router: one way to read, write, search, consolidate and count over the tiers of memory. */

import { deleteOutputSchema } from '../domain/forget.ts';
import {
  consolidateInputSchema,
  consolidateOutputSchema,
  routedValueSchema,
  routerDeleteInputSchema,
  routerReadInputSchema,
  routerSearchInputSchema,
  routerSearchOutputSchema,
  routerStatsInputSchema,
  routerStatsSchema,
  routerWriteInputSchema,
  type RoutedValue,
} from '../domain/router.ts';
import { EXAMPLE_ENTRY } from './entry-operations.ts';
import { operation } from './operation.ts';

const GROUP = 'Router';
const PATH = '/v1/memory/router';

const SESSION = { agentId: 'research-advisor', sessionId: 'sess-123' };
const KEY = { ...SESSION, key: 'task_result' };
const VALUE: RoutedValue = {
  ...KEY,
  tier: 'short_term',
  value: { output: 'Three sources found.' },
  version: 7,
  updatedAt: '2026-11-15T09:30:00.000Z',
  expiresAt: '2026-11-15T10:30:00.000Z',
};

export const routerOperations = {
  'router.read': operation({
    group: GROUP,
    summary: 'Read a value from the first tier that has it.',
    description:
      'Reads through working, short_term, long_term and shared memory, and skips a tier whose identifier is not given: ' +
      '`agent_id` for working, `session_id` for short_term. Long-term memory is looked up with the key as external id; ' +
      'shared memory in the named pool, else in the fifty newest that you may read. With `tier`, only that one.',
    input: routerReadInputSchema,
    output: routedValueSchema,
    http: { method: 'POST', path: `${PATH}/read`, status: 200 },
    isReading: true,
    absent: { output: null, code: 'NOT_FOUND' },
    errors: ['MISSING_IDENTIFIER'],
    example: { input: KEY, output: VALUE },
  }),
  'router.write': operation({
    group: GROUP,
    summary: 'Write a value to a tier; by default to short-term memory.',
    description:
      'long_term stores a memory of the agent (of the user if there is no agent) with the key as external id: a second ' +
      'write makes a new version. A value that is not text is searched by its JSON, and kept exactly in the `lamina_value` ' +
      'of its metadata. shared needs a `pool_id` and write access.',
    input: routerWriteInputSchema,
    output: routedValueSchema,
    http: { method: 'POST', path: `${PATH}/write`, status: 200 },
    errors: ['MISSING_IDENTIFIER', 'NOT_FOUND', 'CONTENT_TOO_LONG', 'LIMIT_EXCEEDED', 'EMBEDDING_FAILED'],
    example: { input: { ...KEY, value: VALUE.value, type: 'tool_result' }, output: VALUE },
  }),
  'router.delete': operation({
    group: GROUP,
    summary: 'Delete a value from a tier; by default from short-term memory.',
    description:
      'In long_term the memory is archived, not lost; writing it again brings it back. In shared it is ' +
      'refused: remove the value from its pool.',
    input: routerDeleteInputSchema,
    output: deleteOutputSchema,
    http: { method: 'POST', path: `${PATH}/delete`, status: 200 },
    absent: { output: { success: false }, code: 'NOT_FOUND' },
    errors: ['MISSING_IDENTIFIER'],
    example: { input: { ...KEY, tier: 'long_term' }, output: { success: true } },
  }),
  'router.search': operation({
    group: GROUP,
    summary: 'Find memories by meaning and by words, in long-term and shared memory.',
    description:
      'long_term is the agent, user and session layers; shared is the project, team, org and company layers that the ' +
      'identifiers open. Each result names its tier.',
    input: routerSearchInputSchema,
    output: routerSearchOutputSchema,
    http: { method: 'POST', path: `${PATH}/search`, status: 200 },
    isReading: true,
    example: {
      input: { query: 'Which sources were found?', agentId: 'research-advisor', limit: 10 },
      output: {
        results: [
          {
            memory: EXAMPLE_ENTRY,
            score: 0.93,
            similarity: 0.68,
            signals: { text: 0.5, vector: 0.8, recency: 1, importance: 0.5, confidence: 1 },
            layer: EXAMPLE_ENTRY.layer,
            tier: 'long_term',
          },
        ],
        totalCount: 1,
        searchedLayers: ['agent', 'user', 'company'],
      },
    },
  }),
  'router.consolidate': operation({
    group: GROUP,
    summary: 'Turn short-term memory of a session that is often read into long-term memory.',
    description:
      'Each value is embedded, stored as a memory of the agent (of the user if there is no agent), and removed from ' +
      'short-term memory. If a memory without an external id says the same (0.92, and the same figures), that one gets the key ' +
      'instead. A consolidated value can still be read under its key if the session is named. Maintenance does the same ' +
      'every night.',
    input: consolidateInputSchema,
    output: consolidateOutputSchema,
    http: { method: 'POST', path: `${PATH}/consolidate`, status: 200 },
    errors: ['EMBEDDING_FAILED'],
    example: {
      input: SESSION,
      output: {
        ...SESSION,
        created: 1,
        updated: 0,
        merged: 0,
        unchanged: 0,
        skipped: 0,
        promotions: [{ key: 'task_result', outcome: 'created', memoryId: EXAMPLE_ENTRY.id }],
      },
    },
  }),
  'router.stats': operation({
    group: GROUP,
    summary: 'Count what each tier holds.',
    input: routerStatsInputSchema,
    output: routerStatsSchema,
    http: { method: 'GET', path: `${PATH}/stats`, status: 200 },
    example: {
      input: SESSION,
      output: {
        workingMemory: { count: 3, bytes: 412 },
        shortTerm: { count: 4, bytes: 812, accesses: 9 },
        longTerm: { count: 41, archivedCount: 2, layers: { agent: 12, user: 29 } },
        shared: { poolCount: 2, memoryCount: 120 },
      },
    },
  }),
} as const;
