/** Facts: what is so, how certain that is, and when; and the ways from one thing to another. */

import {
  addFactInputSchema,
  addFactOutputSchema,
  addFactsInputSchema,
  addFactsOutputSchema,
  deleteFactInputSchema,
  factIdInputSchema,
  factSchema,
  listFactsInputSchema,
  listFactsOutputSchema,
  neighboursInputSchema,
  neighboursOutputSchema,
  pathInputSchema,
  pathOutputSchema,
  updateFactInputSchema,
  type Fact,
} from '../domain/fact.ts';
import { deleteOutputSchema } from '../domain/forget.ts';
import { operation } from './operation.ts';

const GROUP = 'Facts';
const PATH = '/v1/memory/facts';
const FACT_PATH = `${PATH}/{factId}`;
const ID = { factId: '01990b2e-6f3a-7cc1-9d54-3b7a1f0c2e88' };
const TIME = '2026-11-15T09:30:00.000Z';

const STATEMENT = { factType: 'deployment', subject: 'api', predicate: 'runs_on', object: 'postgres-17' };

const FACT: Fact = {
  ...ID,
  layer: 'user',
  identifiers: { userId: 'local' },
  ...STATEMENT,
  confidence: 0.9,
  trust: 'user',
  metadata: {},
  validFrom: TIME,
  validTo: null,
  version: 7,
  createdAt: TIME,
  updatedAt: TIME,
};

const BEFORE: Fact = {
  ...FACT,
  factId: '01990b2e-6f3a-7cc1-9d54-3b7a1f0c2e77',
  object: 'postgres-16',
  validFrom: '2025-02-01T00:00:00.000Z',
  validTo: TIME,
  version: 6,
};

const INPUT = { ...STATEMENT, confidence: 0.9, cardinality: 'one' } as const;

export const factOperations = {
  'facts.add': operation({
    group: GROUP,
    summary: 'Write down a fact.',
    description:
      'What is known already in the same scope is not stored twice: the answer says `created`, `updated` (a higher ' +
      'confidence, more metadata, a longer span) or `unchanged`. With `cardinality` `one`, other objects of the same type, ' +
      'subject and predicate end where this one begins; one that is older than the next ends where that begins. Nothing is ' +
      'overwritten.',
    input: addFactInputSchema,
    output: addFactOutputSchema,
    http: { method: 'POST', path: PATH, status: 201 },
    errors: ['VERSION_CONFLICT'],
    example: { input: INPUT, output: { status: 'created', fact: FACT, closed: [BEFORE] } },
  }),
  'facts.addMany': operation({
    group: GROUP,
    summary: 'Write down many facts at once, all or none.',
    description: 'In their order: a later one may end an earlier one.',
    input: addFactsInputSchema,
    output: addFactsOutputSchema,
    http: { method: 'POST', path: `${PATH}/batch`, status: 201 },
    errors: ['VERSION_CONFLICT'],
    example: {
      input: { facts: [INPUT] },
      output: { results: [{ status: 'created', fact: FACT, closed: [BEFORE] }] },
    },
  }),
  'facts.list': operation({
    group: GROUP,
    summary: 'Find facts by any combination of what they say, how certain they are and when they hold.',
    description:
      'The most certain first, then the newest. Those that hold now; `as_of` another time; or with `include_closed` all ' +
      'of a timeline.',
    input: listFactsInputSchema,
    output: listFactsOutputSchema,
    http: { method: 'GET', path: PATH, status: 200 },
    example: {
      input: { subject: 'api', minConfidence: 0.5 },
      output: { facts: [FACT], count: 1, nextCursor: null },
    },
  }),
  'facts.neighbours': operation({
    group: GROUP,
    summary: 'Find what is within so many hops of a subject.',
    description:
      'Follows facts that hold at that time, from subject to object and back. A walk looks at 10,000 facts at most.',
    input: neighboursInputSchema,
    output: neighboursOutputSchema,
    http: { method: 'GET', path: `${PATH}/neighbours`, status: 200 },
    example: {
      input: { subject: 'api', hops: 2 },
      output: { subject: 'api', nodes: [{ node: 'postgres-17', distance: 1 }], facts: [FACT], truncated: false },
    },
  }),
  'facts.path': operation({
    group: GROUP,
    summary: 'Find the shortest way along facts from one subject to another.',
    input: pathInputSchema,
    output: pathOutputSchema,
    http: { method: 'GET', path: `${PATH}/path`, status: 200 },
    example: { input: { from: 'api', to: 'postgres-17' }, output: { path: [FACT], truncated: false } },
  }),
  'facts.get': operation({
    group: GROUP,
    summary: 'Read one fact.',
    input: factIdInputSchema,
    output: factSchema,
    http: { method: 'GET', path: FACT_PATH, status: 200 },
    absent: { output: null, code: 'NOT_FOUND' },
    example: { input: ID, output: FACT },
  }),
  'facts.update': operation({
    group: GROUP,
    summary: 'Change how certain a fact is, its span, its source or its metadata.',
    description:
      'Metadata is merged key by key; other given fields replace what was there. What it says stays: something else is ' +
      'another fact.',
    input: updateFactInputSchema,
    output: factSchema,
    http: { method: 'PATCH', path: FACT_PATH, status: 200, ifMatch: 'ifVersion' },
    errors: ['NOT_FOUND'],
    example: { input: { ...ID, confidence: 1, ifVersion: 7 }, output: { ...FACT, confidence: 1, version: 8 } },
  }),
  'facts.delete': operation({
    group: GROUP,
    summary: 'Delete a fact for good.',
    description: 'To say that it holds no longer, set `valid_to` instead: then it can still be asked for.',
    input: deleteFactInputSchema,
    output: deleteOutputSchema,
    http: { method: 'DELETE', path: FACT_PATH, status: 204, ifMatch: 'ifVersion' },
    absent: { output: { success: false }, code: 'NOT_FOUND' },
    empty: { success: true },
    example: { input: ID, output: { success: true } },
  }),
} as const;
