/** Procedural memory: the rules and examples that an agent follows. */

import { idInputSchema } from '../domain/browse.ts';
import { deleteOutputSchema } from '../domain/forget.ts';
import {
  proceduralAddInputSchema,
  proceduralAddOutputSchema,
  proceduralContextInputSchema,
  proceduralContextOutputSchema,
  proceduralListInputSchema,
  proceduralListOutputSchema,
  type Procedure,
} from '../domain/procedural.ts';
import { operation } from './operation.ts';

const PROCEDURE: Procedure = {
  id: '01990b2e-6f3a-7cc1-9d54-3b7a1f0c2e88',
  agentId: 'billing-support',
  userId: 'local',
  content: 'When discussing billing, check the Stripe status first.',
  triggerCondition: 'The user asks about a failed billing',
  procedureType: 'system_prompt',
  metadata: {},
  tags: [],
  sensitivity: 'internal',
  trust: 'user',
  version: 1,
  createdAt: '2026-11-15T09:30:00.000Z',
  updatedAt: '2026-11-15T09:30:00.000Z',
};

const REACH = 'Only your own: of the named agent, else of the calling agent, else of all your agents.';

export const proceduralOperations = {
  'procedural.add': operation({
    group: 'Procedural memory',
    summary: 'Teach an agent a rule or an example.',
    description:
      'It is found by its trigger condition, or by its content if it has none. An agent has each content only once: ' +
      'adding it again with another trigger updates it. It is private to you and the agent.',
    input: proceduralAddInputSchema,
    output: proceduralAddOutputSchema,
    http: { method: 'POST', path: '/v1/memory/procedural', status: 201 },
    errors: ['MISSING_IDENTIFIER'],
    example: {
      input: {
        agentId: 'billing-support',
        content: PROCEDURE.content,
        triggerCondition: 'The user asks about a failed billing',
        procedureType: 'system_prompt',
      },
      output: { status: 'created', ...PROCEDURE },
    },
  }),
  'procedural.list': operation({
    group: 'Procedural memory',
    summary: 'Page through procedures, the newest first.',
    description: REACH,
    input: proceduralListInputSchema,
    output: proceduralListOutputSchema,
    http: { method: 'GET', path: '/v1/memory/procedural', status: 200 },
    example: {
      input: { agentId: 'billing-support', procedureType: 'system_prompt' },
      output: { procedures: [PROCEDURE], count: 1, nextCursor: null },
    },
  }),
  'procedural.delete': operation({
    group: 'Procedural memory',
    summary: 'Delete a procedure with its versions.',
    input: idInputSchema,
    output: deleteOutputSchema,
    http: { method: 'DELETE', path: '/v1/memory/procedural/{id}', status: 204 },
    absent: { output: { success: false }, code: 'MEMORY_NOT_FOUND' },
    empty: { success: true },
    example: { input: { id: PROCEDURE.id }, output: { success: true } },
  }),
  'procedural.context': operation({
    group: 'Procedural memory',
    summary: 'Find the rules and examples that apply to a situation.',
    description:
      `Ready to be put into a prompt, most relevant first. ${REACH} Scores are calibrated; the default threshold ` +
      'of 0.7 drops results that merely share a word.',
    input: proceduralContextInputSchema,
    output: proceduralContextOutputSchema,
    http: { method: 'GET', path: '/v1/memory/procedural/context', status: 200, names: { query: 'q' } },
    example: {
      input: { query: 'Why did my billing fail?', agentId: 'billing-support' },
      output: {
        procedures: [
          {
            ...PROCEDURE,
            score: 0.93,
            similarity: 0.72,
            signals: { text: 0.5, vector: 0.9, recency: 1, importance: 0.5, confidence: 1 },
          },
        ],
        count: 1,
        systemPrompts: [PROCEDURE.content],
        fewShotExamples: [],
      },
    },
  }),
} as const;
