/** Episodic memory: what happened between a user and an agent. */

import {
  episodicLogInputSchema,
  episodicLogOutputSchema,
  episodicRecentInputSchema,
  episodicRecentOutputSchema,
  episodicSearchInputSchema,
  episodicSearchOutputSchema,
  type Episode,
} from '../domain/episodic.ts';
import { operation } from './operation.ts';

const EPISODE: Episode = {
  id: '01990b2e-6f3a-7cc1-9d54-3b7a1f0c2e88',
  agentId: 'billing-support',
  userId: 'local',
  role: 'user',
  content: 'Why did my billing fail?',
  sessionId: 'chat-17',
  turn: 1,
  metadata: { channel: 'web' },
  tags: [],
  sensitivity: 'internal',
  trust: 'user',
  occurredAt: '2026-11-15T09:30:00.000Z',
  version: 1,
  createdAt: '2026-11-15T09:30:00.000Z',
  updatedAt: '2026-11-15T09:30:00.000Z',
};

const REACH =
  'Only your own: of the named agent, else of the calling agent, else of all your agents. `from` and `to` ' +
  'are ISO 8601 times, both inclusive.';

export const episodicOperations = {
  'episodic.log': operation({
    group: 'Episodic memory',
    summary: 'Log something that was said or done.',
    description:
      'Every call logs a separate occurrence. Send your own `id` to make retries safe. It is private to you ' +
      'and the agent.',
    input: episodicLogInputSchema,
    output: episodicLogOutputSchema,
    http: { method: 'POST', path: '/v1/memory/episodic', status: 201 },
    errors: ['MISSING_IDENTIFIER', 'VERSION_CONFLICT'],
    example: {
      input: {
        agentId: 'billing-support',
        role: 'user',
        content: 'Why did my billing fail?',
        sessionId: 'chat-17',
        turn: 1,
        metadata: { channel: 'web' },
      },
      output: { status: 'created', ...EPISODE },
    },
  }),
  'episodic.recent': operation({
    group: 'Episodic memory',
    summary: 'Read recent history, the latest first.',
    description: `In the order in which things happened. ${REACH}`,
    input: episodicRecentInputSchema,
    output: episodicRecentOutputSchema,
    http: { method: 'GET', path: '/v1/memory/episodic/recent', status: 200 },
    example: {
      input: { agentId: 'billing-support', sessionId: 'chat-17', limit: 10 },
      output: { episodes: [EPISODE], count: 1, nextCursor: null },
    },
  }),
  'episodic.search': operation({
    group: 'Episodic memory',
    summary: 'Find past episodes by meaning and by words.',
    description: `${REACH} Scores are calibrated; the default threshold of 0.7 drops results that merely share a word.`,
    input: episodicSearchInputSchema,
    output: episodicSearchOutputSchema,
    http: { method: 'GET', path: '/v1/memory/episodic/search', status: 200, names: { query: 'q' } },
    example: {
      input: { query: 'failed billing', agentId: 'billing-support', from: '2026-11-01T00:00:00Z' },
      output: {
        results: [
          {
            ...EPISODE,
            score: 0.91,
            similarity: 0.66,
            signals: { text: 0.5, vector: 0.8, recency: 1, importance: 0.5, confidence: 1 },
          },
        ],
        count: 1,
      },
    },
  }),
} as const;
