/** Entries: remember, find, read, change and forget pieces of text. */

import { z } from 'zod';
import {
  getInputSchema,
  getOutputSchema,
  listInputSchema,
  listOutputSchema,
  versionsInputSchema,
  versionsOutputSchema,
} from '../domain/browse.ts';
import type { Entry } from '../domain/entry.ts';
import { deleteInputSchema, deleteOutputSchema, forgetInputSchema, forgetOutputSchema } from '../domain/forget.ts';
import { promoteInputSchema, promoteOutputSchema } from '../domain/promotion.ts';
import { searchInputSchema, searchOutputSchema } from '../domain/recall.ts';
import {
  addInputSchema,
  addOutputSchema,
  archiveInputSchema,
  archiveOutputSchema,
  updateInputSchema,
  updateOutputSchema,
  type AddOutput,
} from '../domain/remember.ts';
import { operation } from './operation.ts';

const ID = '01990b2e-6f3a-7cc1-9d54-3b7a1f0c2e88';
const TIME = '2026-11-15T09:30:00.000Z';

export const EXAMPLE_ENTRY: Entry = {
  id: ID,
  kind: 'semantic',
  layer: 'user',
  identifiers: { userId: 'local' },
  content: 'Ada prefers tea to coffee.',
  metadata: { topic: 'drinks' },
  tags: ['preference'],
  sensitivity: 'internal',
  trust: 'user',
  visibility: 'private',
  importance: 0.5,
  confidence: 1,
  relevance: 1,
  decayFactor: 1,
  ownerId: 'local',
  contentHash: '3f0c2f6b8e1d4a7795c3b2a1908f7e6d5c4b3a291807f6e5d4c3b2a1908f7e6d',
  status: 'active',
  version: 1,
  previousVersion: null,
  accessCount: 0,
  createdAt: TIME,
  updatedAt: TIME,
};

const ADD_INPUT: z.input<typeof addInputSchema> = {
  content: 'Ada prefers tea to coffee.',
  layer: 'user',
  tags: ['preference'],
  metadata: { topic: 'drinks' },
};

const ADD_OUTPUT: AddOutput = { memory: EXAMPLE_ENTRY, status: 'created', embeddingGenerated: true };

const UPDATED: Entry = {
  ...EXAMPLE_ENTRY,
  content: 'Ada prefers green tea to coffee.',
  version: 2,
  previousVersion: 1,
};

export const entryOperations = {
  add: operation({
    group: 'Entries',
    summary: 'Remember a text in a layer.',
    description:
      'The same content in the same scope is stored once: `status` says `created`, `updated` or `unchanged`. ' +
      'An `external_id` wins over the content. Episodic entries are occurrences and are never merged by content.',
    input: addInputSchema,
    output: addOutputSchema,
    http: { method: 'POST', path: '/v1/memory/entries', status: 201 },
    errors: ['VERSION_CONFLICT'],
    example: { input: ADD_INPUT, output: ADD_OUTPUT },
  }),
  addMany: operation({
    group: 'Entries',
    summary: 'Remember many texts at once, all or none.',
    input: z.strictObject({ memories: z.array(addInputSchema).min(1) }),
    output: z.strictObject({ results: z.array(addOutputSchema) }),
    http: { method: 'POST', path: '/v1/memory/entries/batch', status: 201 },
    errors: ['VERSION_CONFLICT'],
    example: { input: { memories: [ADD_INPUT] }, output: { results: [ADD_OUTPUT] } },
  }),
  search: operation({
    group: 'Entries',
    summary: 'Find memories by meaning and by words.',
    description:
      'Searches every layer that the identifiers open, all at once. Results are ordered by layer, most specific first, then ' +
      'by score, unless `rank` is `relevance`. Of near-identical results only the most specific is kept. With `as_of` ' +
      'it searches memory as it stood then; what was deleted since stays deleted. Conversation turns belong to their agent: ' +
      'to find them, name it as agent_id in the identifiers, or use episodic.search or turnContext, which cover all of your agents.',
    input: searchInputSchema,
    output: searchOutputSchema,
    http: { method: 'POST', path: '/v1/memory/entries/search', status: 200 },
    isReading: true,
    example: {
      input: { query: 'What does Ada like to drink?', limit: 3, threshold: 0.5 },
      output: {
        results: [
          {
            memory: EXAMPLE_ENTRY,
            score: 0.83,
            similarity: 0.71,
            signals: { text: 0.4, vector: 0.9, recency: 1, importance: 0.5, confidence: 1 },
            layer: 'user',
          },
        ],
        totalCount: 1,
        searchedLayers: ['user'],
      },
    },
  }),
  list: operation({
    group: 'Entries',
    summary: 'Page through a layer, newest first.',
    input: listInputSchema,
    output: listOutputSchema,
    http: { method: 'GET', path: '/v1/memory/entries', status: 200 },
    example: {
      input: { layer: 'user', limit: 10, filter: { tags: ['preference'] } },
      output: { memories: [EXAMPLE_ENTRY], nextCursor: null, totalCount: 1 },
    },
  }),
  get: operation({
    group: 'Entries',
    summary: 'Read one memory.',
    input: getInputSchema,
    output: getOutputSchema,
    http: { method: 'GET', path: '/v1/memory/entries/{id}', status: 200 },
    absent: { output: { memory: null }, code: 'MEMORY_NOT_FOUND' },
    example: { input: { id: ID }, output: { memory: EXAMPLE_ENTRY } },
  }),
  update: operation({
    group: 'Entries',
    summary: 'Change a memory; the old version is kept.',
    description: 'Metadata is merged key by key; `remove_metadata` removes keys. New content is embedded again.',
    input: updateInputSchema,
    output: updateOutputSchema,
    http: { method: 'PATCH', path: '/v1/memory/entries/{id}', status: 200, ifMatch: 'expectedVersion' },
    example: {
      input: { id: ID, content: 'Ada prefers green tea to coffee.', expectedVersion: 1 },
      output: { memory: UPDATED, embeddingRegenerated: true },
    },
  }),
  archive: operation({
    group: 'Entries',
    summary: 'Archive a memory: hide it without losing it.',
    description:
      'Searches and lists skip archived memories unless they ask for them. An archived memory can be read by its id, restored ' +
      'and deleted; writing the same content again restores it too. Archiving it twice changes nothing.',
    input: archiveInputSchema,
    output: archiveOutputSchema,
    http: { method: 'POST', path: '/v1/memory/entries/{id}/archive', status: 200, ifMatch: 'expectedVersion' },
    example: {
      input: { id: ID, expectedVersion: 1 },
      output: { memory: { ...EXAMPLE_ENTRY, status: 'archived', version: 2, previousVersion: 1 } },
    },
  }),
  restore: operation({
    group: 'Entries',
    summary: 'Restore an archived memory.',
    input: archiveInputSchema,
    output: archiveOutputSchema,
    http: { method: 'POST', path: '/v1/memory/entries/{id}/restore', status: 200, ifMatch: 'expectedVersion' },
    example: {
      input: { id: ID },
      output: { memory: { ...EXAMPLE_ENTRY, version: 3, previousVersion: 2 } },
    },
  }),
  promote: operation({
    group: 'Entries',
    summary: 'Promote a memory to a broader layer.',
    description:
      'A copy of it is stored there; the original stays. Personal data and secrets (e-mail addresses, telephone and ' +
      'card numbers, keys, tokens, passwords) are removed from what is promoted to a shared layer: project, team, org, ' +
      'company. Confidential and restricted memories are never promoted: 403. Promoting it again changes nothing.',
    input: promoteInputSchema,
    output: promoteOutputSchema,
    http: { method: 'POST', path: '/v1/memory/entries/{id}/promote', status: 200, ifMatch: 'expectedVersion' },
    errors: ['VERSION_CONFLICT'],
    example: {
      input: { id: ID, layer: 'project', identifiers: { projectId: 'apollo' } },
      output: {
        memory: {
          ...EXAMPLE_ENTRY,
          id: '01990b2e-6f3a-7cc1-9d54-3b7a1f0c2e99',
          layer: 'project',
          identifiers: { projectId: 'apollo' },
          content: 'Ada can be reached at [email].',
          visibility: 'shared',
          ownerId: null,
          provenance: { promotedFromEntry: ID },
        },
        status: 'created',
        redactions: { email: 1 },
      },
    },
  }),
  delete: operation({
    group: 'Entries',
    summary: 'Delete a memory with its versions, vectors and index entries.',
    input: deleteInputSchema,
    output: deleteOutputSchema,
    http: { method: 'DELETE', path: '/v1/memory/entries/{id}', status: 200, ifMatch: 'expectedVersion' },
    absent: { output: { success: false }, code: 'MEMORY_NOT_FOUND' },
    example: { input: { id: ID }, output: { success: true } },
  }),
  forget: operation({
    group: 'Entries',
    summary: 'Delete all memories that meet every given condition.',
    description:
      'At least one condition is required. Without a layer or identifiers, only your own memories are deleted. Large sets are ' +
      'deleted in parts, not atomically: repeat an interrupted call to delete the rest.',
    input: forgetInputSchema,
    output: forgetOutputSchema,
    http: { method: 'POST', path: '/v1/memory/entries/forget', status: 200 },
    example: { input: { layer: 'user', filter: { tags: ['preference'] } }, output: { deletedCount: 1 } },
  }),
  versions: operation({
    group: 'Entries',
    summary: 'Read the history of a memory.',
    input: versionsInputSchema,
    output: versionsOutputSchema,
    http: { method: 'GET', path: '/v1/memory/entries/{id}/versions', status: 200 },
    example: {
      input: { id: ID },
      output: {
        versions: [
          { memory: UPDATED, replacedAt: null },
          { memory: EXAMPLE_ENTRY, replacedAt: '2026-11-15T10:00:00.000Z' },
        ],
      },
    },
  }),
} as const;
