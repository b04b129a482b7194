/** Facts: what holds, how certain it is, and when; and the paths from one thing to another. */

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
    summary: 'Store a fact.',
    description:
      'A fact already known in the same scope is not stored twice: `status` says `created`, `updated` (a higher ' +
      'confidence, more metadata, a longer span) or `unchanged`. With `cardinality` `one`, other objects of the same type, ' +
      'subject and predicate end where this one begins; if a later one is known, this one ends where that begins. Nothing is ' +
      'overwritten.',
    input: addFactInputSchema,
    output: addFactOutputSchema,
    http: { method: 'POST', path: PATH, status: 201 },
    errors: ['VERSION_CONFLICT'],
    example: { input: INPUT, output: { status: 'created', fact: FACT, closed: [BEFORE] } },
  }),
  'facts.addMany': operation({
    group: GROUP,
    summary: 'Store many facts at once, all or none.',
    description: 'In the given order: a later one may end an earlier one.',
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
      'Most certain first, then newest. By default those that hold now; with `as_of` at another time; with `include_closed` the ' +
      'whole timeline.',
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
    summary: 'Find everything within a number of hops of a subject.',
    description: 'Follows facts that hold at that time, in both directions. A walk visits at most 10,000 facts.',
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
    summary: 'Find the shortest path of facts from one subject to another.',
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
      'Metadata is merged key by key, and `remove_metadata` removes keys; other given fields replace the old ones. ' +
      'Subject, predicate and object cannot change: store another fact instead.',
    input: updateFactInputSchema,
    output: factSchema,
    http: { method: 'PATCH', path: FACT_PATH, status: 200, ifMatch: 'ifVersion' },
    errors: ['NOT_FOUND'],
    example: { input: { ...ID, confidence: 1, ifVersion: 7 }, output: { ...FACT, confidence: 1, version: 8 } },
  }),
  'facts.delete': operation({
    group: GROUP,
    summary: 'Delete a fact for good.',
    description: 'If it merely holds no longer, set `valid_to` instead: then it can still be queried.',
    input: deleteFactInputSchema,
    output: deleteOutputSchema,
    http: { method: 'DELETE', path: FACT_PATH, status: 204, ifMatch: 'ifVersion' },
    absent: { output: { success: false }, code: 'NOT_FOUND' },
    empty: { success: true },
    example: { input: ID, output: { success: true } },
  }),
} as const;
