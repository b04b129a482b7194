/** A context as one JSON document, for export; and the ways to copy one. */

import { z } from 'zod';
import { contextEntryFields } from './context-entry.ts';
import { MAX_WHOLE_ENTRIES } from './context-snapshot.ts';
import { CONTEXT_STATUSES, contextSchema, createContextInputSchema } from './context.ts';
import { isoTime, pathName } from './entry.ts';
import { addInputSchema } from './remember.ts';

export const BUNDLE_FORMAT = 'lamina-context';
export const BUNDLE_VERSION = 1;

/** The content of an entry at one time. Omitted fields take their defaults. */
const state = {
  content: addInputSchema.shape.content,
  ...contextEntryFields,
  status: z.enum(CONTEXT_STATUSES).optional().describe('Default active.'),
  version: z.int().min(1).optional(),
  editedBy: z.string().optional(),
  updatedAt: isoTime.optional(),
} as const;

const bundleVersionSchema = z.strictObject({ ...state, replacedAt: isoTime.optional() });

export type BundleVersion = z.output<typeof bundleVersionSchema>;

const bundleEntrySchema = z.strictObject({
  key: pathName,
  ...state,
  createdAt: isoTime.optional(),
  versions: z.array(bundleVersionSchema).optional().describe('What it said before, newest first.'),
});

export type BundleEntry = z.output<typeof bundleEntrySchema>;

const { type, scope, scopeId, name, description, metadata } = createContextInputSchema.shape;

export const contextBundleSchema = z
  .strictObject({
    format: z.literal(BUNDLE_FORMAT),
    formatVersion: z.literal(BUNDLE_VERSION),
    exportedAt: isoTime.optional(),
    context: z.strictObject({
      contextId: pathName,
      type,
      scope,
      scopeId,
      name,
      description,
      metadata,
      access: contextSchema.shape.access.optional().describe('Only if the owner exported it. Never imported.'),
    }),
    entries: z.array(bundleEntrySchema).max(MAX_WHOLE_ENTRIES).describe('In order of creation.'),
  })
  .describe('A context as one document: its settings, its entries and their earlier versions.');

export type ContextBundle = z.output<typeof contextBundleSchema>;

export const cloneContextInputSchema = z.strictObject({
  contextId: pathName,
  newContextId: pathName.optional().describe('Default: a new one.'),
  name,
  description,
});

export type CloneContextInput = z.output<typeof cloneContextInputSchema>;

export const cloneContextOutputSchema = z.strictObject({
  context: contextSchema,
  entryCount: z.int().describe('How many entries were copied.'),
});

export type CloneContextOutput = z.output<typeof cloneContextOutputSchema>;

export const importContextInputSchema = z.strictObject({
  contextId: pathName.optional().describe('Default: the one in the bundle.'),
  bundle: contextBundleSchema,
});

export type ImportContextInput = z.output<typeof importContextInputSchema>;

const count = z.int();

export const importContextOutputSchema = z.strictObject({
  context: contextSchema,
  status: z.enum(['created', 'existing']).describe('existing if a context of yours already has that id.'),
  entries: z.strictObject({ created: count, updated: count, unchanged: count }),
});

export type ImportContextOutput = z.output<typeof importContextOutputSchema>;
