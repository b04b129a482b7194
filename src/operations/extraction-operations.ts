/** Remembering a conversation: its turns as they are, and what a language model makes of them. */

import { rememberInputSchema, rememberOutputSchema } from '../domain/extraction.ts';
import { operation } from './operation.ts';

const TURNS = ['01990b2e-6f3a-7cc1-9d54-3b7a1f0c2e88', '01990b2e-6f3a-7cc1-9d54-3b7a1f0c2e89'] as const;

export const extractionOperations = {
  remember: operation({
    group: 'Conversations',
    summary: 'Remember a conversation: its turns, and the knowledge in them.',
    description:
      'Turns are stored verbatim, as episodes of the agent: turnContext and episodic.search find them for all of your ' +
      'agents, search only if the agent is among its identifiers. Turns that were sent before are recognised, best by their ids: ' +
      'send only the new ones, or the whole conversation again. Recalled memory that reappears in it is not stored. If a language model ' +
      'is configured, it extracts knowledge, rules and facts, each with the span that it came from; a fact that ' +
      'contradicts a known one ends it. If the model fails, the turns are still stored, and `reason` says why ' +
      'nothing was extracted; send them again to retry the extraction.',
    input: rememberInputSchema,
    output: rememberOutputSchema,
    http: { method: 'POST', path: '/v1/memory/remember', status: 200 },
    errors: ['MISSING_IDENTIFIER', 'FORBIDDEN', 'LIMIT_EXCEEDED', 'EMBEDDING_FAILED'],
    example: {
      input: {
        agentId: 'travel',
        sessionId: 'chat-17',
        messages: [
          { role: 'user', content: 'I moved to Lisbon last week. Window seats, please.' },
          { role: 'assistant', content: 'Noted. Lisbon to Berlin, by the window.' },
        ],
      },
      output: {
        dryRun: false,
        turns: [
          { status: 'created', id: TURNS[0], turn: 1 },
          { status: 'created', id: TURNS[1], turn: 2 },
        ],
        memories: [
          {
            status: 'created',
            id: '01990b2e-7a01-7b3c-8d21-5f0e9c1a2b3c',
            kind: 'semantic',
            content: 'The user prefers window seats.',
            quote: 'Window seats, please.',
            episodeId: TURNS[0],
          },
        ],
        facts: [
          {
            status: 'created',
            factId: '01990b2e-7a01-7b3c-8d21-5f0e9c1a2b3d',
            factType: 'located_at',
            subject: 'user',
            predicate: 'lives_in',
            object: 'Lisbon',
            confidence: 0.95,
            validFrom: '2026-11-15T09:30:00.000Z',
            quote: 'I moved to Lisbon last week.',
            episodeId: TURNS[0],
          },
        ],
        closed: [],
        dropped: { invalid: 0, unquoted: 0, untrusted: 0, unknown: 0, excess: 0 },
        extracted: true,
        pending: 0,
        model: 'llama3',
        cost: { inputTokens: 812, outputTokens: 143 },
      },
    },
  }),
} as const;
