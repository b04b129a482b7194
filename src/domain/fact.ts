/** A fact: subject, predicate and object, with a confidence and the time span in which it holds. */

import { z } from 'zod';
import { defaultVisibility, mayRead, ownerOf, type Placement } from './access.ts';
import {
  entryId,
  givenIdentifiersSchema,
  identifiersSchema,
  isoTime,
  layerSchema,
  metadataSchema,
  removedMetadataSchema,
  sourceSchema,
} from './entry.ts';
import { TRUSTS } from './kind.ts';
import type { Principal } from './principal.ts';
import { expected, page, paged, recorded } from './record.ts';
import { WRITE_STATUSES } from './remember.ts';
import type { Scope } from './scope.ts';

const MAX_TERM_LENGTH = 1024;
const MAX_LISTED_PREDICATES = 20;
export const MAX_HOPS = 5;
export const DEFAULT_NEIGHBOURS = 100;
const MAX_NEIGHBOURS = 1000;

const term = z.string().min(1).max(MAX_TERM_LENGTH);
const unit = z.number().min(0).max(1);

/** What a fact says. Two facts that say the same in the same scope never hold at the same time. */
const statement = {
  factType: term.describe('What sort of fact it is: "uses", "located_at", "preference" …'),
  subject: term.describe('What it is about.'),
  predicate: term.describe('The relation: "prefers", "has_version" …'),
  object: term.describe('The value or the other side: "dark_mode", "v16" …'),
} as const;

/** Whether a subject can have several objects under a predicate at the same time. */
const CARDINALITIES = ['one', 'many'] as const;

const DIRECTIONS = ['out', 'in', 'both'] as const;
export type Direction = (typeof DIRECTIONS)[number];

export const factSchema = z
  .strictObject({
    factId: entryId,
    layer: layerSchema,
    identifiers: identifiersSchema,
    ...statement,
    confidence: unit,
    trust: z.enum(TRUSTS).describe('How far it is trusted: the lowest of its sources.'),
    metadata: metadataSchema,
    source: sourceSchema.optional(),
    validFrom: isoTime.describe('From when it holds.'),
    validTo: isoTime.nullable().describe('Until when, exclusive; null while it still holds.'),
    ...recorded,
  })
  .describe('A subject, a predicate and an object, and when it holds.');

export type Fact = z.output<typeof factSchema>;

/** What a fact says, without its scope. */
export type Statement = Pick<Fact, keyof typeof statement>;

/** Which scopes are meant. */
const place = {
  layer: layerSchema.optional().describe('Only this layer. Default: every layer that the identifiers open.'),
  identifiers: givenIdentifiersSchema,
} as const;

const asOf = isoTime.optional().describe('What held then. Default: now.');

export const addFactInputSchema = z.strictObject({
  ...statement,
  factId: entryId.optional().describe('A UUID of your own; default a new UUIDv7.'),
  layer: layerSchema.optional().describe('Default user.'),
  identifiers: place.identifiers,
  confidence: unit
    .optional()
    .describe('Default 1. When a fact is stored again, a higher value raises it and a lower one changes nothing.'),
  metadata: metadataSchema.optional(),
  source: sourceSchema.optional(),
  trust: z.enum(TRUSTS).optional().describe('The default depends on its source and its writer; you can only lower it.'),
  validFrom: isoTime.optional().describe('Default now.'),
  validTo: isoTime.optional().describe('Default: it still holds.'),
  cardinality: z
    .enum(CARDINALITIES)
    .optional()
    .describe('"one": any other fact of this type, subject and predicate ends where this begins. Default many.'),
});

export type AddFactInput = z.output<typeof addFactInputSchema>;

export const addFactOutputSchema = z.strictObject({
  status: z.enum(WRITE_STATUSES).describe('unchanged if already known.'),
  fact: factSchema,
  closed: z.array(factSchema).describe('Facts that ended because of it.'),
});

export type AddFactOutput = z.output<typeof addFactOutputSchema>;

export const addFactsInputSchema = z.strictObject({ facts: z.array(addFactInputSchema).min(1) });

export const addFactsOutputSchema = z.strictObject({
  results: z.array(addFactOutputSchema).describe('In the order of the facts, each as it is after all were stored.'),
});

export const factIdInputSchema = z.strictObject({ factId: entryId });

export const updateFactInputSchema = z.strictObject({
  factId: entryId,
  confidence: unit.optional(),
  metadata: metadataSchema.optional(),
  removeMetadata: removedMetadataSchema.optional(),
  source: sourceSchema.optional(),
  validFrom: isoTime.optional(),
  validTo: isoTime.nullable().optional().describe('Null reopens it.'),
  ...expected,
});

export type UpdateFactInput = z.output<typeof updateFactInputSchema>;

export const deleteFactInputSchema = z.strictObject({ factId: entryId, ...expected });

export type DeleteFactInput = z.output<typeof deleteFactInputSchema>;

export const listFactsInputSchema = z.strictObject({
  factType: term.optional(),
  subject: term.optional(),
  predicate: term.optional(),
  object: term.optional(),
  ...place,
  minConfidence: unit.optional(),
  asOf,
  includeClosed: z.boolean().optional().describe('Facts that hold at any time, instead of at one.'),
  ...paged,
});

export type ListFactsInput = z.output<typeof listFactsInputSchema>;

export const listFactsOutputSchema = z.strictObject({
  facts: z.array(factSchema).describe('Most certain first, then newest.'),
  ...page,
});

export type ListFactsOutput = z.output<typeof listFactsOutputSchema>;

/** What every walk takes. */
const walk = {
  direction: z
    .enum(DIRECTIONS)
    .optional()
    .describe('"out" goes from subject to object, "in" the other way. Default both.'),
  predicates: z.array(term).min(1).max(MAX_LISTED_PREDICATES).optional().describe('Only along these.'),
  ...place,
  asOf,
} as const;

const truncated = z
  .boolean()
  .describe('Whether the walk hit its limit: then results may be missing, or a path may not be the shortest.');

export const neighboursInputSchema = z.strictObject({
  subject: term.describe('Where to begin.'),
  hops: z.int().min(1).max(MAX_HOPS).optional().describe('How far to go. Default 1.'),
  ...walk,
  limit: z
    .int()
    .min(1)
    .max(MAX_NEIGHBOURS)
    .optional()
    .describe(`Maximum number of neighbours. Default ${DEFAULT_NEIGHBOURS}.`),
});

export type NeighboursInput = z.output<typeof neighboursInputSchema>;

export const neighboursOutputSchema = z.strictObject({
  subject: term,
  nodes: z
    .array(z.strictObject({ node: term, distance: z.int().describe('In hops.') }))
    .describe('Nearest first, then by name.'),
  facts: z.array(factSchema).describe('The facts that connect them.'),
  truncated,
});

export type NeighboursOutput = z.output<typeof neighboursOutputSchema>;

export const pathInputSchema = z.strictObject({
  from: term,
  to: term,
  maxHops: z.int().min(1).max(MAX_HOPS).optional().describe(`Default ${MAX_HOPS}.`),
  ...walk,
});

export type PathInput = z.output<typeof pathInputSchema>;

export const pathOutputSchema = z.strictObject({
  path: z
    .array(factSchema)
    .nullable()
    .describe('One fact per hop, from one end to the other; null if there is no path within `max_hops`.'),
  truncated,
});

export type PathOutput = z.output<typeof pathOutputSchema>;

/**
 * Facts are knowledge: those of a personal layer are private to its user, those of a group belong to their layer. Whoever
 * may see a scope's facts may change them.
 */
function factPlacement(principal: Principal, scope: Scope): Placement {
  const visibility = defaultVisibility(scope, 'semantic');
  return { scope, kind: 'semantic', visibility, ownerId: ownerOf(principal, scope, 'semantic', visibility) };
}

/** The given scopes in which the principal may see facts. Naming another user narrows, never widens. */
export function factReach(principal: Principal, scopes: readonly Scope[]): Scope[] {
  return scopes.filter((scope) => mayRead(principal, factPlacement(principal, scope)));
}
