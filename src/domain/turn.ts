/** What an agent asks of memory before a turn, and what it gets: a prompt, and a receipt of what went into it. */

import { z } from 'zod';
import { entryId, identifier, identifiersSchema, kindSchema, layerSchema, pathName } from './entry.ts';
import { LaminaError } from './error.ts';
import { hasText } from './has-text.ts';
import { SENSITIVITIES, TRUSTS, type Kind, type Sensitivity, type Trust } from './kind.ts';
import { DEFAULT_THRESHOLD, searchInputSchema } from './recall.ts';

/** In the order of the prompt. */
export const TURN_SECTIONS = ['memory', 'facts', 'procedures', 'working', 'conversation'] as const;
export type TurnSection = (typeof TURN_SECTIONS)[number];

/** Why something that was found is not in the prompt. */
export const OMISSIONS = ['budget', 'sensitivity', 'trust', 'duplicate', 'source', 'ended', 'absent', 'empty'] as const;
export type Omission = (typeof OMISSIONS)[number];

/**
 * The kinds of memory in a turn, both by default: knowledge, and what was said, which is all there is without a language
 * model.
 */
export const TURN_KINDS = ['semantic', 'episodic'] as const satisfies readonly Kind[];
export type TurnKind = (typeof TURN_KINDS)[number];

export const DEFAULT_TOKEN_BUDGET = 2000;
/** As the specification has it. */
export const DEFAULT_TURN_LIMIT = 20;
/**
 * Below the one of a search, because a message asks for nothing in particular: measured with MiniLM, small talk and unrelated
 * questions bring up nothing above 0.45, while what bears on a message may be at 0.6. What is less sure comes last, where
 * the budget ends.
 */
export const DEFAULT_TURN_THRESHOLD = 0.5;
/**
 * As in every search for episodes. Measured with MiniLM: relevant turns score 0.75 and more; below that come their
 * neighbours, and small talk if there was any.
 */
export const DEFAULT_EPISODE_THRESHOLD: number = DEFAULT_THRESHOLD;
/** A rule that does not apply does harm: as in every search for procedures. */
export const DEFAULT_PROCEDURE_THRESHOLD: number = DEFAULT_THRESHOLD;

const MAX_TOKEN_BUDGET = 1_000_000;
const MAX_MESSAGE_LENGTH = 1_000_000;
const MAX_RECENT_TURNS = 100;
/** The most of working memory in one turn. */
export const MAX_WORKING_KEYS = 100;
/** The most texts that a model already sees, and their length. */
export const MAX_SEEN = 1000;
export const MAX_SEEN_LENGTH: number = MAX_MESSAGE_LENGTH;

const sensitivitySchema = z.enum(SENSITIVITIES);
const trustSchema = z.enum(TRUSTS);

export const turnContextInputSchema = z.strictObject({
  message: z
    .string()
    .max(MAX_MESSAGE_LENGTH)
    .refine(hasText, 'empty: there is nothing to look for')
    .describe('What the user said. It ends the prompt, verbatim.'),
  agentId: identifier.optional().describe('Whose turn it is. Default: the calling agent.'),
  sessionId: identifier.optional().describe('The conversation: opens its layer; recent turns come only from it.'),
  identifiers: identifiersSchema
    .optional()
    .describe('Further layers, such as projectId. Added to your own userId and agentId, and your tenant as companyId.'),
  layers: searchInputSchema.shape.layers.describe(
    'Where to look for memories. Default: every layer that the identifiers open, and turns of all your agents if none is named.',
  ),
  kinds: z
    .array(z.enum(TURN_KINDS))
    .min(1)
    .optional()
    .describe('Which memories: knowledge (semantic), turns of any conversation (episodic). Default both.'),
  tokenBudget: z
    .int()
    .min(1)
    .max(MAX_TOKEN_BUDGET)
    .optional()
    .describe(`For what memory adds; the message is not counted. Default ${DEFAULT_TOKEN_BUDGET}.`),
  limit: searchInputSchema.shape.limit.describe(
    `Maximum number of memories of each kind, of facts and of procedures. Default ${DEFAULT_TURN_LIMIT}.`,
  ),
  threshold: searchInputSchema.shape.threshold.describe(
    `Minimum score. Default ${DEFAULT_TURN_THRESHOLD}, for turns ${DEFAULT_EPISODE_THRESHOLD} and for procedures ${DEFAULT_PROCEDURE_THRESHOLD}.`,
  ),
  recentTurns: z
    .int()
    .min(0)
    .max(MAX_RECENT_TURNS)
    .optional()
    .describe('How many of the latest turns of the conversation to include. Default 0.'),
  seen: z
    .array(z.string().max(MAX_SEEN_LENGTH))
    .max(MAX_SEEN)
    .optional()
    .describe(
      'What the model already sees, such as the preceding messages: memories and turns that say the same are left out.',
    ),
  working: z
    .strictObject({
      planId: pathName.describe('The plan.'),
      keys: z
        .array(pathName)
        .min(1)
        .max(MAX_WORKING_KEYS)
        .optional()
        .describe(`Only these, in this order. Default: the first ${MAX_WORKING_KEYS} of the plan.`),
    })
    .optional()
    .describe('Working memory to include. It has no sensitivity: all of it may go to the model.'),
  procedures: z.boolean().optional().describe('Whether to look for procedures that apply. Default true.'),
  facts: z
    .boolean()
    .optional()
    .describe('Whether to include current facts about what the message names. Default true.'),
  maxSensitivity: sensitivitySchema
    .optional()
    .describe('More sensitive memories are left out. Default: as configured, which a call can only narrow.'),
  minTrust: trustSchema
    .optional()
    .describe('Less trusted memories are left out. Default: as configured, which a call can only narrow.'),
  preview: z.boolean().optional().describe('Only inspect the prompt: nothing counts as an access. Default false.'),
});

export type TurnContextInput = z.output<typeof turnContextInputSchema>;

const sectionSchema = z.enum(TURN_SECTIONS).describe('The heading that it is under.');

const itemShape = {
  section: sectionSchema,
  id: entryId.optional().describe('Of an entry or a fact.'),
  key: pathName.optional().describe('Of a value of working memory.'),
  kind: kindSchema.optional(),
  layer: layerSchema.optional(),
  trust: trustSchema
    .optional()
    .describe('Of an entry or a fact. Lines from a tool or from outside are marked as such.'),
  score: z.number().optional().describe('How well it matches; absent if it was not searched for.'),
};

const takenSchema = z.strictObject({
  ...itemShape,
  tokens: z.int().describe('Estimated size of its line.'),
  isExcerpt: z
    .literal(true)
    .optional()
    .describe('There was no room for all of it: its line holds the passage that shares most with the message.'),
});

export type TurnTaken = z.output<typeof takenSchema>;

const leftOutSchema = z
  .strictObject({
    ...itemShape,
    reason: z.enum(OMISSIONS),
    tokens: z.int().optional().describe('Estimated size its line would have had.'),
    sensitivity: sensitivitySchema.optional(),
    sameAs: z
      .string()
      .optional()
      .describe(
        'For a duplicate: "message", "seen", or the id or key of what says the same. For a source: the id of the memory made from it.',
      ),
  })
  .describe('Memories that are too sensitive are counted, without their id or score.');

export type TurnLeftOut = z.output<typeof leftOutSchema>;

export const turnReceiptSchema = z
  .strictObject({
    taken: z.array(takenSchema).describe('In the order of the prompt.'),
    leftOut: z.array(leftOutSchema).describe('By section, most relevant first.'),
    counts: z.strictObject({
      taken: z.int(),
      budget: z.int(),
      sensitivity: z.int(),
      trust: z.int(),
      duplicate: z.int(),
      source: z.int().describe('Turns left out because a memory made from them is taken.'),
      ended: z.int().describe('No longer hold: their `validTo` has passed.'),
      absent: z.int(),
      empty: z.int(),
      limit: z.int().describe('Passed the threshold, but came after the limit. These are not listed.'),
    }),
    tokenBudget: z.int(),
    tokensUsed: z.int(),
    settings: z.strictObject({
      limit: z.int(),
      kinds: z.array(z.enum(TURN_KINDS)).describe('Of memories.'),
      threshold: z.number().describe('Of memories.'),
      episodeThreshold: z.number().describe('Of turns among them.'),
      procedureThreshold: z.number(),
      recentTurns: z.int(),
      procedures: z.boolean(),
      facts: z.boolean(),
      layers: z.array(layerSchema).describe('Which were searched.'),
      maxSensitivity: sensitivitySchema.optional().describe('Absent if memory was unavailable.'),
      minTrust: trustSchema.optional().describe('Likewise.'),
    }),
  })
  .describe('What was taken and left out, and why.');

export type TurnReceipt = z.output<typeof turnReceiptSchema>;

export const turnContextOutputSchema = z.strictObject({
  prompt: z.string().describe('What memory adds, then [User Message] and the message.'),
  context: z.string().describe('Only what memory adds; empty if there is nothing.'),
  tokens: z.int().describe('Of the context, by an estimate that errs on the high side.'),
  receipt: turnReceiptSchema,
  degraded: z.boolean().describe('Whether a part of memory was unavailable.'),
  warnings: z.array(z.string()).optional().describe('What could not be done.'),
});

export type TurnContextOutput = z.output<typeof turnContextOutputSchema>;

/** The configurable policy for turns. */
export interface TurnPolicy {
  /** More sensitive memories never go into a prompt, which an external model may read. */
  readonly maxSensitivity: Sensitivity;
  /** Less trusted memories never go into a prompt. */
  readonly minTrust: Trust;
}

export const DEFAULT_TURN_POLICY: TurnPolicy = { maxSensitivity: 'internal', minTrust: 'outside' };

/** These settings, completed with the defaults. Throws `CONFIGURATION_ERROR`. */
export function turnPolicy({
  maxSensitivity = DEFAULT_TURN_POLICY.maxSensitivity,
  minTrust = DEFAULT_TURN_POLICY.minTrust,
}: Partial<TurnPolicy> = {}): TurnPolicy {
  assertOneOf('maxSensitivity', maxSensitivity, SENSITIVITIES);
  assertOneOf('minTrust', minTrust, TRUSTS);
  return { maxSensitivity, minTrust };
}

function assertOneOf(name: string, value: string, accepted: readonly string[]): void {
  if (accepted.includes(value)) return;
  throw new LaminaError('CONFIGURATION_ERROR', `turn.${name} is "${value}"; it accepts ${accepted.join(', ')}.`);
}
