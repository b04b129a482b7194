/** The one table of operations. Handlers stand beside it in `handlers.ts`, so that a browser can load this. */

import { z } from 'zod';
import {
  getInputSchema,
  getOutputSchema,
  idInputSchema,
  listInputSchema,
  listOutputSchema,
  versionsOutputSchema,
} from '../domain/browse.ts';
import { deleteOutputSchema, forgetInputSchema, forgetOutputSchema } from '../domain/forget.ts';
import { searchInputSchema, searchOutputSchema } from '../domain/recall.ts';
import { addInputSchema, addOutputSchema, updateInputSchema, updateOutputSchema } from '../domain/remember.ts';
import { operation } from './operation.ts';

export const OPERATIONS = {
  add: operation({
    summary: 'Remember a text in a layer.',
    description:
      'The same content in the same scope is stored once: the answer says `created`, `updated` or `unchanged`. ' +
      'An `external_id` wins over the content. Episodic entries are occurrences and are never merged by content.',
    input: addInputSchema,
    output: addOutputSchema,
    http: { method: 'POST', path: '/v1/memory/entries', status: 201 },
  }),
  addMany: operation({
    summary: 'Remember many texts at once, all or none.',
    input: z.strictObject({ memories: z.array(addInputSchema).min(1) }),
    output: z.strictObject({ results: z.array(addOutputSchema) }),
    http: { method: 'POST', path: '/v1/memory/entries/batch', status: 201 },
  }),
  search: operation({
    summary: 'Find memories by meaning and by words.',
    description:
      'Searches every layer that the identifiers open, all at once. Results come most specific layer first, then ' +
      'by score, unless `rank` is `relevance`. Near-identical content keeps the most specific layer only.',
    input: searchInputSchema,
    output: searchOutputSchema,
    http: { method: 'POST', path: '/v1/memory/entries/search', status: 200 },
  }),
  list: operation({
    summary: 'Page through a layer, newest first.',
    input: listInputSchema,
    output: listOutputSchema,
    http: { method: 'GET', path: '/v1/memory/entries', status: 200 },
  }),
  get: operation({
    summary: 'Read one memory.',
    input: getInputSchema,
    output: getOutputSchema,
    http: { method: 'GET', path: '/v1/memory/entries/{id}', status: 200 },
    absent: { memory: null },
  }),
  update: operation({
    summary: 'Change a memory; the old version is kept.',
    description: 'Metadata is merged key by key. New content is embedded again.',
    input: updateInputSchema,
    output: updateOutputSchema,
    http: { method: 'PATCH', path: '/v1/memory/entries/{id}', status: 200 },
  }),
  delete: operation({
    summary: 'Delete a memory with its versions, vectors and index entries.',
    input: idInputSchema,
    output: deleteOutputSchema,
    http: { method: 'DELETE', path: '/v1/memory/entries/{id}', status: 200 },
    absent: { success: false },
  }),
  forget: operation({
    summary: 'Delete all memories that meet every given condition.',
    description: 'At least one condition is needed. Without a layer or identifiers only your own memories are meant.',
    input: forgetInputSchema,
    output: forgetOutputSchema,
    http: { method: 'POST', path: '/v1/memory/entries/forget', status: 200 },
  }),
  versions: operation({
    summary: 'Read the history of a memory.',
    input: idInputSchema,
    output: versionsOutputSchema,
    http: { method: 'GET', path: '/v1/memory/entries/{id}/versions', status: 200 },
  }),
} as const;

export type OperationName = keyof typeof OPERATIONS;
export type OperationInput<Name extends OperationName> = z.input<(typeof OPERATIONS)[Name]['input']>;
export type OperationOutput<Name extends OperationName> = z.output<(typeof OPERATIONS)[Name]['output']>;

/** Calls an operation by name: embedded, remote, or anything else that can answer. */
export type Invoke = <Name extends OperationName>(
  name: Name,
  input: OperationInput<Name>,
) => Promise<OperationOutput<Name>>;
