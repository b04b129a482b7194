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
  'Covers only what this agent of yours remembers: everywhere (GlobalScope), in its sessions, and in the named ' +
  'project. A `session_id` restricts it to items that name that session, whatever their scope: turns logged in it are in ' +
  'GlobalScope, since the agent remembers them everywhere. The other operations on entries find the same memories: these ' +
  'scopes are the layers agent, session and project, and the tiers are kinds.';

export const itemOperations = {
  'items.store': operation({
    group: GROUP,
    summary: 'Store items in the memory of an agent, all or none.',
    description:
      'They are private to you and the agent. What the agent already knows is not stored twice: its id is returned, and ' +
      'its source stays. Episodes (EpisodicMemory) are stored each time, unless a `request_id` marks them as the same ' +
      'request. Repeating a request, even concurrently or after the items were forgotten, stores nothing and returns the ' +
      'same ids; a `request_id` is remembered for seven days.',
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
    summary: 'Forget items of an agent, by date, scope, id or session.',
    description:
      'All given conditions must hold, and at least one is required; a project does not count as one. A `session_id` alone ' +
      'forgets everything that names this session, including the turns logged in it, and nothing else. Deletes the text, ' +
      'versions and vectors, and the memories and facts made from it, and returns how many there were in all. A ' +
      '`request_id` makes retries safe: items stored after the first attempt stay.',
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
