/** What the memory items of an agent take and answer: entries, in the words of the agent's entity. */

import { z } from 'zod';
import { entryId, identifier, isoTime, pathName } from './entry.ts';
import { searchInputSchema } from './recall.ts';
import { page, paged } from './record.ts';
import { addInputSchema } from './remember.ts';
import { DEFAULT_TURN_LIMIT, DEFAULT_TURN_THRESHOLD } from './turn.ts';

export const MEMORY_TIERS = ['SemanticMemory', 'EpisodicMemory'] as const;
export type MemoryTier = (typeof MEMORY_TIERS)[number];

export const MEMORY_SCOPES = ['SessionScope', 'ProjectScope', 'GlobalScope'] as const;
export type MemoryScope = (typeof MEMORY_SCOPES)[number];

export const MEMORY_SOURCES = ['UserSource', 'SystemSource', 'AgentSource'] as const;
export type MemorySource = (typeof MEMORY_SOURCES)[number];

export const SENSITIVITY_LEVELS = ['Public', 'Internal', 'Confidential', 'Restricted'] as const;
export type SensitivityLevel = (typeof SENSITIVITY_LEVELS)[number];

const MAX_REQUEST_ID_LENGTH = 1024;
const MAX_TURN_ID_LENGTH = 1024;

const agentId = pathName.describe('An agent of yours. An agent can only name itself.');
const tier = z.enum(MEMORY_TIERS).describe('What is known, or what happened.');
const scope = z
  .enum(MEMORY_SCOPES)
  .describe('Of one session, of one project, or of the agent wherever it works. All are private to you and the agent.');
const requestId = z
  .string()
  .min(1)
  .max(MAX_REQUEST_ID_LENGTH)
  .optional()
  .describe(
    'Any text that identifies this request: repeating it with the same input changes nothing and returns the same answer.',
  );

export const storeItemSchema = z.strictObject({
  tier,
  scope,
  source: z.enum(MEMORY_SOURCES).describe('Where it comes from.'),
  content: addInputSchema.shape.content,
  metadataJson: z.string().optional().describe('A JSON object, as text.'),
  generatedByTurnId: z.string().min(1).max(MAX_TURN_ID_LENGTH).optional().describe('The turn in which it came up.'),
  sessionId: identifier.optional().describe('Required for SessionScope.'),
  sensitivity: z.enum(SENSITIVITY_LEVELS).optional().describe('Default Internal.'),
});

export type StoreItem = z.output<typeof storeItemSchema>;

export const itemsStoreInputSchema = z.strictObject({
  agentId,
  items: z.array(storeItemSchema),
  projectId: identifier.optional().describe('The project of those in ProjectScope, which require one.'),
  requestId,
});

export type ItemsStoreInput = z.output<typeof itemsStoreInputSchema>;

export const itemsStoreOutputSchema = z.strictObject({
  storedIds: z.array(entryId).describe('In the order of the items. What was already known keeps its id.'),
});

export type ItemsStoreOutput = z.output<typeof itemsStoreOutputSchema>;

/** A row of the specification's table: every column is there. */
export const memoryItemSchema = z
  .strictObject({
    memoryItemId: entryId,
    agentId: z.string(),
    tier,
    scope,
    source: z.enum(MEMORY_SOURCES),
    content: z.string(),
    metadataJson: z.string().nullable(),
    generatedByTurnId: z.string().nullable(),
    sessionId: z.string().nullable(),
    sensitivity: z.enum(SENSITIVITY_LEVELS),
    createdAt: isoTime,
    updatedAt: isoTime,
  })
  .describe('A memory of an agent.');

export type MemoryItem = z.output<typeof memoryItemSchema>;

/** Which scopes are searched. */
const where = {
  scope: scope.optional().describe('Only this scope. Default all: every session, and the named project.'),
  sessionId: identifier.optional().describe('Only what names this session, whatever its scope.'),
  projectId: identifier
    .optional()
    .describe('The project. Without it, no project is searched; ProjectScope requires it.'),
};

const which = { agentId, tier: tier.optional().describe('Only this tier.'), ...where };

export const itemsRetrieveInputSchema = z.strictObject({
  ...which,
  query: searchInputSchema.shape.query,
  limit: searchInputSchema.shape.limit.describe(`Default ${DEFAULT_TURN_LIMIT}.`),
  threshold: searchInputSchema.shape.threshold.describe(`Minimum score. Default ${DEFAULT_TURN_THRESHOLD}.`),
  mode: searchInputSchema.shape.mode,
});

export type ItemsRetrieveInput = z.output<typeof itemsRetrieveInputSchema>;

export const itemsRetrieveOutputSchema = z.strictObject({
  items: z.array(memoryItemSchema).describe('Best first.'),
  count: z.int().describe('How many there are.'),
  warnings: z.array(z.string()).optional().describe('Present when part of the search could not be done.'),
});

export type ItemsRetrieveOutput = z.output<typeof itemsRetrieveOutputSchema>;

export const itemsListInputSchema = z.strictObject({ ...which, ...paged });

export type ItemsListInput = z.output<typeof itemsListInputSchema>;

export const itemsListOutputSchema = z.strictObject({
  items: z.array(memoryItemSchema).describe('Newest first.'),
  ...page,
  warnings: z.array(z.string()).optional().describe('Present if not everything could be read.'),
});

export type ItemsListOutput = z.output<typeof itemsListOutputSchema>;

export const itemsForgetInputSchema = z.strictObject({
  agentId,
  cutoffDate: isoTime.optional().describe('Only what was stored before this time.'),
  scope: scope.optional().describe('Only this scope. Default all, of every session and project.'),
  itemIds: z.array(entryId).min(1).optional().describe('Only these.'),
  sessionId: where.sessionId,
  projectId: identifier
    .optional()
    .describe(
      'Only this project; does not restrict what is in no project. ProjectScope requires it, unless ids are named.',
    ),
  requestId,
});

export type ItemsForgetInput = z.output<typeof itemsForgetInputSchema>;

export const itemsForgetOutputSchema = z.strictObject({
  deletedCount: z.int().describe('Items, plus the memories and facts made from them.'),
});

export type ItemsForgetOutput = z.output<typeof itemsForgetOutputSchema>;
