/** Entries of contexts: texts under keys, with a type, a history and a weight. */

import {
  changeContextEntryInputSchema,
  contextEntryKeyInputSchema,
  contextEntrySchema,
  contextEntryVersionsOutputSchema,
  listContextEntriesInputSchema,
  listContextEntriesOutputSchema,
  putContextEntryInputSchema,
  putContextEntryOutputSchema,
  searchContextInputSchema,
  searchContextOutputSchema,
  weighContextEntryInputSchema,
  type ContextEntry,
} from '../domain/context-entry.ts';
import { deleteOutputSchema } from '../domain/forget.ts';
import { EXAMPLE_ENTRY } from './entry-operations.ts';
import { operation } from './operation.ts';

const GROUP = 'Context entries';
const CONTEXT_PATH = '/v1/memory/contexts/{context_id}';
const ENTRIES_PATH = `${CONTEXT_PATH}/entries`;
const PATH = `${ENTRIES_PATH}/{key}`;
const KEY = { contextId: 'atlas', key: 'database' };
const LATER = '2026-11-15T10:00:00.000Z';

const ENTRY: ContextEntry = {
  ...KEY,
  entryId: EXAMPLE_ENTRY.id,
  content: 'Atlas runs on PostgreSQL 17.',
  entryType: 'decision',
  memoryType: 'factual',
  sourceType: 'agent',
  metadata: {},
  tags: ['storage'],
  trust: 'agent',
  importance: 0.8,
  confidence: 1,
  effectiveRelevance: 0.8,
  editedBy: 'local/architect',
  contentHash: EXAMPLE_ENTRY.contentHash,
  status: 'active',
  version: 1,
  previousVersion: null,
  accessCount: 0,
  createdAt: EXAMPLE_ENTRY.createdAt,
  updatedAt: EXAMPLE_ENTRY.updatedAt,
};

const NEXT = { ...ENTRY, version: 2, previousVersion: 1, updatedAt: LATER };

export const contextEntryOperations = {
  'contextEntries.put': operation({
    group: GROUP,
    summary: 'Write an entry under a key, or a new version of it.',
    description:
      'Omitted fields stay, metadata is merged key by key, and the old version is kept. A write that says nothing new ' +
      'is `unchanged`, whoever sends it. Writing to an archived entry unarchives it. With `If-Match`, only over that version; ' +
      'with `If-Match: 0`, only if there is no entry.',
    input: putContextEntryInputSchema,
    output: putContextEntryOutputSchema,
    http: { method: 'PUT', path: PATH, status: 200, ifMatch: 'expectedVersion', ifNoneMatch: true },
    errors: ['NOT_FOUND', 'FORBIDDEN'],
    example: {
      input: { ...KEY, content: ENTRY.content, entryType: 'decision', importance: 0.8, tags: ['storage'] },
      output: { status: 'created', entry: ENTRY },
    },
  }),
  'contextEntries.list': operation({
    group: GROUP,
    summary: 'List the entries of a context, newest first.',
    input: listContextEntriesInputSchema,
    output: listContextEntriesOutputSchema,
    http: { method: 'GET', path: ENTRIES_PATH, status: 200 },
    errors: ['NOT_FOUND'],
    example: {
      input: { contextId: 'atlas', entryType: 'decision' },
      output: { entries: [ENTRY], count: 1, nextCursor: null },
    },
  }),
  'contextEntries.get': operation({
    group: GROUP,
    summary: 'Read an entry, even an archived one.',
    input: contextEntryKeyInputSchema,
    output: contextEntrySchema,
    http: { method: 'GET', path: PATH, status: 200 },
    absent: { output: null, code: 'NOT_FOUND' },
    example: { input: KEY, output: ENTRY },
  }),
  'contextEntries.delete': operation({
    group: GROUP,
    summary: 'Delete an entry for good, with its history.',
    description: 'Snapshots still name it but hold none of its text: no restore brings it back.',
    input: changeContextEntryInputSchema,
    output: deleteOutputSchema,
    http: { method: 'DELETE', path: PATH, status: 204, ifMatch: 'expectedVersion' },
    absent: { output: { success: false }, code: 'NOT_FOUND' },
    empty: { success: true },
    errors: ['FORBIDDEN'],
    example: { input: KEY, output: { success: true } },
  }),
  'contextEntries.versions': operation({
    group: GROUP,
    summary: 'Read the history of an entry: what it said, when, and who wrote it.',
    input: contextEntryKeyInputSchema,
    output: contextEntryVersionsOutputSchema,
    http: { method: 'GET', path: `${PATH}/versions`, status: 200 },
    errors: ['NOT_FOUND'],
    example: {
      input: KEY,
      output: {
        versions: [
          { entry: NEXT, replacedAt: null },
          { entry: ENTRY, replacedAt: LATER },
        ],
        count: 2,
      },
    },
  }),
  'contextEntries.boost': operation({
    group: GROUP,
    summary: 'Make an entry more important.',
    description: 'Up to 1. Concurrent boosts all count.',
    input: weighContextEntryInputSchema,
    output: contextEntrySchema,
    http: { method: 'POST', path: `${PATH}/boost`, status: 200 },
    errors: ['NOT_FOUND', 'FORBIDDEN'],
    isRepeatable: false,
    example: { input: { ...KEY, by: 0.1 }, output: { ...NEXT, importance: 0.9, effectiveRelevance: 0.9 } },
  }),
  'contextEntries.reduce': operation({
    group: GROUP,
    summary: 'Make an entry less important.',
    description: 'Down to 0.',
    input: weighContextEntryInputSchema,
    output: contextEntrySchema,
    http: { method: 'POST', path: `${PATH}/reduce`, status: 200 },
    errors: ['NOT_FOUND', 'FORBIDDEN'],
    isRepeatable: false,
    example: { input: KEY, output: { ...NEXT, importance: 0.7, effectiveRelevance: 0.7 } },
  }),
  'contextEntries.archive': operation({
    group: GROUP,
    summary: 'Archive an entry: searches and lists leave it out unless they ask for it.',
    input: changeContextEntryInputSchema,
    output: contextEntrySchema,
    http: { method: 'POST', path: `${PATH}/archive`, status: 200, ifMatch: 'expectedVersion' },
    errors: ['NOT_FOUND', 'FORBIDDEN'],
    example: { input: KEY, output: { ...NEXT, status: 'archived' } },
  }),
  'contextEntries.unarchive': operation({
    group: GROUP,
    summary: 'Unarchive an entry.',
    input: changeContextEntryInputSchema,
    output: contextEntrySchema,
    http: { method: 'POST', path: `${PATH}/unarchive`, status: 200, ifMatch: 'expectedVersion' },
    errors: ['NOT_FOUND', 'FORBIDDEN'],
    example: { input: KEY, output: { ...NEXT, version: 3, previousVersion: 2 } },
  }),
  'contextEntries.search': operation({
    group: GROUP,
    summary: 'Find entries of one context by meaning and by words.',
    description: 'Only this context: nothing outside it is found or affects a score.',
    input: searchContextInputSchema,
    output: searchContextOutputSchema,
    http: { method: 'POST', path: `${CONTEXT_PATH}/search`, status: 200 },
    isReading: true,
    errors: ['NOT_FOUND', 'EMBEDDING_FAILED'],
    example: {
      input: { contextId: 'atlas', query: 'Which database do we use?', limit: 3 },
      output: {
        results: [
          {
            entry: ENTRY,
            score: 0.86,
            similarity: 0.64,
            signals: { text: 0.3, vector: 0.8, recency: 1, importance: 0.8, confidence: 1 },
          },
        ],
        count: 1,
        totalCount: 1,
      },
    },
  }),
} as const;
