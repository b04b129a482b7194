/** What remembering a conversation takes and answers: its turns, and what a language model makes of them. */

import { z } from 'zod';
import {
  costSchema,
  entryFieldsSchema,
  entryId,
  entrySchema,
  identifier,
  identifiersSchema,
  isoTime,
} from './entry.ts';
import { factSchema } from './fact.ts';
import { ROLES } from './kind.ts';
import { WRITE_STATUSES } from './remember.ts';

/** A conversation is private, so what is made of it is too: to share it there is promoting. */
const PRIVATE_LAYERS = ['user', 'agent', 'session'] as const;

/** Metadata of facts that extraction wrote, or ended. */
export const EXTRACTION_KEYS = {
  /** The turn that the fact was made from. Deleting the turn deletes the fact, where no other says it. */
  episode: 'extraction.episode',
  quote: 'extraction.quote',
  start: 'extraction.start',
  end: 'extraction.end',
  model: 'extraction.model',
  cost: 'extraction.cost',
  /** Further turns that say it: episode, type of source, quote, start and end of each. With the last of all it goes. */
  also: 'extraction.also',
  /** The turn that ended the fact. Nothing that it says is kept here: the fact outlives it. */
  endedBy: 'extraction.ended_by',
  endedModel: 'extraction.ended_model',
} as const;

/** As messages of several programming interfaces have them. Bytes are not JSON: such a part is left out before. */
const partSchema = z.looseObject({
  type: z.string().min(1).max(100).describe('text, or anything else, which is left out. tool-result has an output.'),
  text: z.string().optional(),
  toolName: z.string().optional().describe('Whose output it is.'),
  output: z.unknown().optional().describe('A text, or { type, value } with a text, JSON or further parts.'),
});

const ignored = z.unknown().optional();

const messageSchema = z.strictObject({
  role: z.enum([...ROLES, 'developer']).describe('Who said it. developer is stored as system.'),
  content: z
    .union([z.string(), z.array(partSchema)])
    .nullish()
    .describe('What was said: a text, or parts, of which the texts are stored. One without any text is left out.'),
  id: z
    .string()
    .min(1)
    .max(1000)
    .optional()
    .describe(
      'Your own name for it, unique in its session: sent again it is the same turn, with other words an update.',
    ),
  occurredAt: isoTime.optional().describe('When it was said. Default now.'),
  name: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe('Who it was by name, or which tool. Of users and assistants it is the speaker.'),
  // In the spelling of the interface that they come from, by whichever door.
  tool_calls: ignored.describe('Not stored. By it the results are known that memory tools gave.'),
  tool_call_id: z.string().min(1).max(1000).nullish().describe('Which call this is the result of.'),
  refusal: z.string().nullish().describe('What an assistant said instead of a content.'),
  function_call: ignored.describe('Not stored.'),
  annotations: ignored.describe('Not stored.'),
  audio: ignored.describe('Not stored.'),
  reasoning_content: ignored.describe('Not stored.'),
  providerOptions: ignored.describe('Not stored.'),
});

export type RememberMessage = z.output<typeof messageSchema>;

export const rememberInputSchema = z.strictObject({
  messages: z.array(messageSchema).min(1).describe('In their order: what is new, or the whole conversation again.'),
  agentId: identifier.optional().describe("Which agent's memory. Default: the agent that is asking."),
  sessionId: identifier.optional().describe('The conversation. By it turns that were sent before are recognised.'),
  layer: z
    .enum(PRIVATE_LAYERS)
    .optional()
    .describe('Where knowledge and facts go that are made of it. Default user. Rules go to the agent.'),
  identifiers: identifiersSchema
    .optional()
    .describe(
      'What else was open to the conversation, such as a project: what is known there is not stored again. An agent or a ' +
        'session may be named here instead; the user is the caller.',
    ),
  sensitivity: entryFieldsSchema.shape.sensitivity.describe(
    'Of what is new. Default internal. No language model is shown what is confidential or restricted.',
  ),
  extract: z.boolean().optional().describe('Default true: where there is a language model, it is asked.'),
  dryRun: z.boolean().optional().describe('Default false. True: say what would be stored, and store nothing.'),
});

export type RememberInput = z.output<typeof rememberInputSchema>;

/** Why a message was not stored. */
export const SKIPS = ['empty', 'recalled', 'forgotten'] as const;

const turnSchema = z.strictObject({
  status: z
    .enum([...WRITE_STATUSES, 'skipped'])
    .describe('unchanged when it was there already, skipped when it is not to be stored.'),
  id: entryId.optional().describe('The episode. Absent where there is none.'),
  turn: entryFieldsSchema.shape.turn,
  reason: z
    .enum(SKIPS)
    .optional()
    .describe('Why it was skipped: no text; recalled memory that came back; deleted from this conversation before.'),
  leftOut: z
    .array(z.string())
    .optional()
    .describe('What else the message had that is not stored: types of its parts, such as image_url, and tool_calls.'),
  cut: z
    .int()
    .min(1)
    .optional()
    .describe('How many characters at its end were not stored, because it is longer than a memory may be.'),
});

export type RememberedTurn = z.output<typeof turnSchema>;

const quoted = {
  quote: z.string().describe('The span that it came from, as it stands in the turn.'),
  episodeId: entryId.optional().describe('The turn with that span. Absent in a dry run where the turn is new.'),
} as const;

const extractedMemorySchema = z.strictObject({
  status: z
    .enum(WRITE_STATUSES)
    .describe('unchanged when this is known already; updated when it was known differently.'),
  id: entryId.optional().describe('Absent in a dry run where it is new.'),
  kind: entrySchema.shape.kind,
  content: z.string(),
  ...quoted,
});

export type ExtractedMemory = z.output<typeof extractedMemorySchema>;

const { factId, factType, subject, predicate, object, confidence, validFrom, validTo } = factSchema.shape;
const statement = { factType, subject, predicate, object };

const extractedFactSchema = z.strictObject({
  status: z.enum(WRITE_STATUSES).describe('unchanged when this is known already.'),
  factId: factId.optional().describe('Absent in a dry run where it is new.'),
  ...statement,
  confidence,
  validFrom,
  ...quoted,
});

export type ExtractedFact = z.output<typeof extractedFactSchema>;

const closedFactSchema = z.strictObject({ factId, ...statement, validTo, ...quoted });

export type ClosedFact = z.output<typeof closedFactSchema>;

const count = z.int().min(0);

const droppedSchema = z
  .strictObject({
    invalid: count.describe('Not in the form that was asked for, or too long.'),
    unquoted: count.describe('What is quoted does not stand in the message that is named.'),
    untrusted: count.describe('A rule, a change or an end that was not said by the user.'),
    unknown: count.describe('About something known that is not there, began later, or is not its own to change.'),
    excess: count.describe('More than one answer may bring.'),
  })
  .describe('What the language model gave and was not stored, by why.');

export type Dropped = z.output<typeof droppedSchema>;

export const rememberOutputSchema = z.strictObject({
  dryRun: z.boolean(),
  turns: z.array(turnSchema).describe('In the order of the messages.'),
  memories: z.array(extractedMemorySchema),
  facts: z.array(extractedFactSchema),
  closed: z.array(closedFactSchema).describe('Facts that ended: because another took their place, or as was said.'),
  dropped: droppedSchema,
  extracted: z.boolean().describe('Whether a language model has looked at all turns of this call, now or before.'),
  pending: count.describe('Turns that it has not looked at. Sent again, they are.'),
  reason: z.string().optional().describe('Why not, where not.'),
  model: z.string().optional().describe('The language model that was asked.'),
  cost: costSchema.optional().describe('What asking it took, in all.'),
});

export type RememberOutput = z.output<typeof rememberOutputSchema>;
