/** What writing an entry asks for and what it answers. */

import { z } from 'zod';
import {
  entryFieldsSchema,
  entryId,
  entrySchema,
  givenIdentifiersSchema,
  isoTime,
  kindSchema,
  layerSchema,
  writtenRemovedMetadataSchema,
} from './entry.ts';
import { SENSITIVITIES } from './kind.ts';

const content = z.string().describe('The text to remember.');

export const addInputSchema = z.strictObject({
  content,
  layer: layerSchema,
  identifiers: givenIdentifiersSchema,
  kind: kindSchema.optional().describe('Default semantic.'),
  id: entryId.optional().describe('A UUID of your own; default a new UUIDv7.'),
  externalId: z.string().min(1).max(255).optional().describe('Your own id for it: a second write updates the first.'),
  byNameOnly: z
    .boolean()
    .optional()
    .describe(
      'With an external id: only that decides identity, and another memory may have the same content. Default false.',
    ),
  maxSensitivity: z
    .enum(SENSITIVITIES)
    .optional()
    .describe(
      'The most that the writer is allowed to see, such as a language model: if the same content is already stored as more ' +
        'sensitive, it is left as it is and never becomes less sensitive. Default: the writer sees everything.',
    ),
  ...entryFieldsSchema.shape,
});

export type AddInput = z.output<typeof addInputSchema>;

export const WRITE_STATUSES = ['created', 'updated', 'unchanged'] as const;
export type WriteStatus = (typeof WRITE_STATUSES)[number];

/** In the answer to the writer. */
export const quarantinedField = z
  .literal(true)
  .optional()
  .describe('It is in quarantine: nobody finds it until it is reviewed. Its provenance says why.');

export const addOutputSchema = z.strictObject({
  memory: entrySchema,
  status: z.enum(WRITE_STATUSES).describe('unchanged if the same content was already in the same scope.'),
  embeddingGenerated: z.boolean(),
  quarantined: quarantinedField,
});

export type AddOutput = z.output<typeof addOutputSchema>;

export const updateInputSchema = z.strictObject({
  id: entryId,
  content: content.optional(),
  expectedVersion: z.int().min(1).optional().describe('Refuse with VERSION_CONFLICT unless this is the version.'),
  ...entryFieldsSchema.shape,
  validFrom: isoTime.nullable().optional().describe('From when it holds, or when it happened. Null removes it.'),
  validTo: isoTime.nullable().optional().describe('Until when it holds. Null removes it: it holds with no end.'),
  expiresAt: isoTime
    .nullable()
    .optional()
    .describe('When it expires: it is hidden from then on. Null removes it: it never expires.'),
  removeMetadata: writtenRemovedMetadataSchema.optional(),
});

export type UpdateInput = z.output<typeof updateInputSchema>;

export const archiveInputSchema = updateInputSchema.pick({ id: true, expectedVersion: true });

export type ArchiveInput = z.output<typeof archiveInputSchema>;

export const archiveOutputSchema = z.strictObject({ memory: entrySchema });

export const updateOutputSchema = z.strictObject({
  memory: entrySchema,
  embeddingRegenerated: z.boolean(),
});

export type UpdateOutput = z.output<typeof updateOutputSchema>;
