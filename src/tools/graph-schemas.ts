/** What the tools of the reference memory server take and answer: its own fields, under its own names. */

import { z } from 'zod';

/** As long as a term of a fact may be, which is what names become. */
const MAX_NAME_LENGTH = 1024;

const name = z.string().min(1).max(MAX_NAME_LENGTH);

export const entitySchema = z.object({
  name: name.describe('Its name; names are unique.'),
  entityType: name.describe('What sort of thing it is: "person", "organization", "event" …'),
  observations: z.array(z.string()).describe('What is known about it, one statement each.'),
});

export type GraphEntity = z.output<typeof entitySchema>;

export const relationSchema = z.object({
  from: name.describe('The name of the entity where it starts.'),
  to: name.describe('The name of the entity where it ends.'),
  relationType: name.describe('What connects them, in the active voice: "works_at".'),
});

export type GraphRelation = z.output<typeof relationSchema>;

export const createEntitiesInputSchema = z.object({ entities: z.array(entitySchema) });

export const entitiesOutputSchema = z.object({
  entities: z.array(entitySchema).describe('Those that are new. Existing ones are left unchanged.'),
});

export const relationsInputSchema = z.object({ relations: z.array(relationSchema) });

export const relationsOutputSchema = z.object({
  relations: z.array(relationSchema).describe('Those that are new.'),
});

export const addObservationsInputSchema = z.object({
  observations: z.array(
    z.object({
      entityName: name.describe('The name of an existing entity.'),
      contents: z.array(z.string()).describe('What to add, one statement each.'),
    }),
  ),
});

export type AddedContents = z.output<typeof addObservationsInputSchema>['observations'][number];

export const addObservationsOutputSchema = z.object({
  results: z.array(
    z.object({
      entityName: z.string(),
      addedObservations: z.array(z.string()).describe('Those that are new.'),
    }),
  ),
});

export type AddedObservations = z.output<typeof addObservationsOutputSchema>['results'][number];

export const deleteEntitiesInputSchema = z.object({
  entityNames: z.array(z.string()).describe('The names of the entities.'),
});

export const deleteObservationsInputSchema = z.object({
  deletions: z.array(
    z.object({
      entityName: z.string().describe('The name of the entity.'),
      observations: z.array(z.string()).describe('The observations to delete, word for word.'),
    }),
  ),
});

export type ObservationDeletion = z.output<typeof deleteObservationsInputSchema>['deletions'][number];

export const deletedOutputSchema = z.object({ success: z.boolean(), message: z.string() });

export const readGraphInputSchema = z.object({});

export const searchNodesInputSchema = z.object({
  query: z.string().describe('Words, a part of a word, or a question.'),
});

export const openNodesInputSchema = z.object({ names: z.array(z.string()).describe('The names of the entities.') });

/** The shape of the reference server; the notice is there only where something is missing. */
export const graphOutputSchema = z.object({
  entities: z.array(entitySchema),
  relations: z.array(relationSchema),
  notice: z.string().optional().describe('What was left out, and why.'),
});

export type GraphOutput = z.output<typeof graphOutputSchema>;
