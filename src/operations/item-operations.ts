/** The memory items of an agent: entries in the words of the agent's entity. */

import {
  itemsForgetInputSchema,
  itemsForgetOutputSchema,
  itemsListInputSchema,
  itemsListOutputSchema,
  itemsRetrieveInputSchema,
  itemsRetrieveOutputSchema,
  itemsStoreInputSchema,
  itemsStoreOutputSchema,
  type MemoryItem,
} from '../domain/memory-item.ts';
import { operation } from './operation.ts';

const GROUP = 'Agent items';
const PATH = '/v1/memory/agents/{agent_id}';

const ITEM: MemoryItem = {
  memoryItemId: '01990b2e-6f3a-7cc1-9d54-3b7a1f0c2e90',
  agentId: 'assistant',
  tier: 'SemanticMemory',
  scope: 'GlobalScope',
  source: 'UserSource',
  content: 'The user prefers concise answers',
  metadataJson: '{"topic":"style"}',
  generatedByTurnId: 'turn-7',
  sessionId: null,
  sensitivity: 'Internal',
  createdAt: '2026-11-15T09:30:00.000Z',
  updatedAt: '2026-11-15T09:30:00.000Z',
};

const REACH =
  'Only what this agent of yours remembers: wherever it works (GlobalScope), in its sessions, and in the project that is ' +
  'named. A `session_id` keeps to what names that session, whatever its scope: turns that were logged in it lie in ' +
  'GlobalScope, since the agent remembers them everywhere. The same memories are found by the other operations on entries: these scopes are the layers agent, session and ' +
  'project, and the tiers are kinds.';

export const itemOperations = {
  'items.store': operation({
    group: GROUP,
    summary: 'Store items in the memory of an agent, all or none.',
    description:
      'They are private to you and the agent. What the agent knows already is not stored twice: its id is answered, and ' +
      'where it came from stays. What happened (EpisodicMemory) is another each time, unless a `request_id` tells that it is the same request. The same ' +
      'request again, also at the same time or after the items were forgotten, stores nothing and answers the same ids; it is known ' +
      'for seven days.',
    input: itemsStoreInputSchema,
    output: itemsStoreOutputSchema,
    http: { method: 'POST', path: `${PATH}/store`, status: 201 },
    errors: ['MISSING_IDENTIFIER', 'FORBIDDEN', 'LIMIT_EXCEEDED'],
    example: {
      input: {
        agentId: 'assistant',
        items: [
          {
            tier: 'SemanticMemory',
            scope: 'GlobalScope',
            source: 'UserSource',
            content: ITEM.content,
            metadataJson: '{"topic":"style"}',
            generatedByTurnId: 'turn-7',
          },
        ],
        requestId: 'turn-7/memory',
      },
      output: { storedIds: [ITEM.memoryItemId] },
    },
  }),
  'items.retrieve': operation({
    group: GROUP,
    summary: 'Find items of an agent by meaning and by words.',
    description: `Best first, whatever their scope. ${REACH}`,
    input: itemsRetrieveInputSchema,
    output: itemsRetrieveOutputSchema,
    http: { method: 'POST', path: `${PATH}/retrieve`, status: 200 },
    isReading: true,
    errors: ['MISSING_IDENTIFIER', 'FORBIDDEN'],
    example: {
      input: { agentId: 'assistant', query: 'How long should the answer be?', tier: 'SemanticMemory', limit: 20 },
      output: { items: [ITEM], count: 1 },
    },
  }),
  'items.list': operation({
    group: GROUP,
    summary: 'Page through the items of an agent, newest first.',
    description: REACH,
    input: itemsListInputSchema,
    output: itemsListOutputSchema,
    http: { method: 'GET', path: `${PATH}/items`, status: 200 },
    errors: ['MISSING_IDENTIFIER', 'FORBIDDEN'],
    example: {
      input: { agentId: 'assistant', tier: 'SemanticMemory', limit: 20 },
      output: { items: [ITEM], count: 1, nextCursor: null },
    },
  }),
  'items.forget': operation({
    group: GROUP,
    summary: 'Forget items of an agent: by date, by scope, by id, by session.',
    description:
      'All conditions that are given must hold, and one is needed; a project is none. A `session_id` alone forgets all that ' +
      'names this session, also the turns that were logged in it, and nothing else. Nothing of what is forgotten is left to ' +
      'find: its text, its versions, its vectors, and the memories and facts that were made from it. Answers how many all ' +
      'that were. A `request_id` makes it safe to send again: then what came later stays.',
    input: itemsForgetInputSchema,
    output: itemsForgetOutputSchema,
    http: { method: 'POST', path: `${PATH}/forget`, status: 200 },
    errors: ['MISSING_IDENTIFIER', 'FORBIDDEN', 'LIMIT_EXCEEDED'],
    example: {
      input: { agentId: 'assistant', scope: 'GlobalScope', cutoffDate: '2026-01-01T00:00:00Z' },
      output: { deletedCount: 3 },
    },
  }),
} as const;
