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
import { DEFAULT_AGENT } from './principal.ts';
import { quarantinedField, WRITE_STATUSES } from './remember.ts';

/** A conversation is private, so what is extracted from it is too: promote it to share it. */
const PRIVATE_LAYERS = ['user', 'agent', 'session'] as const;

/** Metadata of facts that extraction wrote or ended. */
export const EXTRACTION_KEYS = {
  /** The turn that the fact was made from. Deleting the turn deletes the fact, unless another turn says it. */
  episode: 'extraction.episode',
  quote: 'extraction.quote',
  start: 'extraction.start',
  end: 'extraction.end',
  model: 'extraction.model',
  cost: 'extraction.cost',
  /**
   * Other turns that say it: episode, source type, quote, start and end of each. The fact is deleted with the last of them.
   */
  also: 'extraction.also',
  /** The turn that ended the fact. None of its text is kept here, because the fact outlives it. */
  endedBy: 'extraction.ended_by',
  endedModel: 'extraction.ended_model',
} as const;

/** Parts as in the messages of several APIs. Bytes are not JSON: such a part is dropped earlier. */
const partSchema = z.looseObject({
  type: z.string().min(1).max(100).describe('text or tool-result, which has an output. Other types are ignored.'),
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
    .describe('What was said: a text, or parts, whose texts are stored. A message without text is skipped.'),
  id: z
    .string()
    .min(1)
    .max(1000)
    .optional()
    .describe('Your own id for it, unique in its session: sent again it is the same turn; with other text, an update.'),
  occurredAt: isoTime.optional().describe('When it was said. Default now.'),
  name: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe('The name of the speaker (users and assistants), or of the tool.'),
  // Spelled as in the API that they come from, on every surface.
  tool_calls: ignored.describe('Not stored. Used to recognise the results of memory tools.'),
  tool_call_id: z.string().min(1).max(1000).nullish().describe('The call that this is the result of.'),
  refusal: z.string().nullish().describe('What an assistant said in place of content.'),
  function_call: ignored.describe('Not stored.'),
  annotations: ignored.describe('Not stored.'),
  audio: ignored.describe('Not stored.'),
  reasoning_content: ignored.describe('Not stored.'),
  providerOptions: ignored.describe('Not stored.'),
});

export type RememberMessage = z.output<typeof messageSchema>;

export const rememberInputSchema = z.strictObject({
  messages: z
    .array(messageSchema)
    .min(1)
    .describe('In order: only the new ones, or the whole conversation again. Best with ids.'),
  agentId: identifier
    .optional()
    .describe(`Which agent's memory. Default: the calling agent, or ${DEFAULT_AGENT} if the caller is none.`),
  sessionId: identifier
    .optional()
    .describe(
      'The conversation. Turns that were sent before are recognised within it: by id, else by place and content.',
    ),
  layer: z
    .enum(PRIVATE_LAYERS)
    .optional()
    .describe('The layer that extracted knowledge and facts go to. Default user. Rules go to the agent.'),
  identifiers: identifiersSchema
    .optional()
    .describe(
      'What else was open to the conversation, such as a project: knowledge already stored there is not stored again. An ' +
        'agent or a session may be named here instead; the user is the caller.',
    ),
  sensitivity: entryFieldsSchema.shape.sensitivity.describe(
    'Of what is new. Default internal. Confidential and restricted turns are never shown to a language model.',
  ),
  extract: z.boolean().optional().describe('Whether to ask the language model, if there is one. Default true.'),
  dryRun: z.boolean().optional().describe('Report what would be stored, and store nothing. Default false.'),
});

export type RememberInput = z.output<typeof rememberInputSchema>;

/** Why a message was not stored. */
export const SKIPS = ['empty', 'recalled', 'forgotten'] as const;

const turnSchema = z.strictObject({
  status: z
    .enum([...WRITE_STATUSES, 'skipped'])
    .describe('unchanged if it was already stored, skipped if it is not to be stored.'),
  id: entryId.optional().describe('The episode, if there is one.'),
  turn: entryFieldsSchema.shape.turn,
  reason: z
    .enum(SKIPS)
    .optional()
    .describe('Why it was skipped: no text; recalled memory; deleted from this conversation earlier.'),
  quarantined: quarantinedField,
  leftOut: z
    .array(z.string())
    .optional()
    .describe('What else the message contained that is not stored: types of parts, such as image_url, and tool_calls.'),
  cut: z
    .int()
    .min(1)
    .optional()
    .describe('How many characters at its end were cut off, because a memory cannot be that long.'),
});

export type RememberedTurn = z.output<typeof turnSchema>;

const quoted = {
  quote: z.string().describe('The span that it came from, verbatim.'),
  episodeId: entryId.optional().describe('The turn with that span. Absent in a dry run if the turn is new.'),
} as const;

const extractedMemorySchema = z.strictObject({
  status: z.enum(WRITE_STATUSES).describe('unchanged if already known; updated if known differently.'),
  id: entryId.optional().describe('Absent in a dry run if it is new.'),
  kind: entrySchema.shape.kind,
  content: z.string(),
  quarantined: quarantinedField,
  ...quoted,
});

export type ExtractedMemory = z.output<typeof extractedMemorySchema>;

const { factId, factType, subject, predicate, object, confidence, validFrom, validTo } = factSchema.shape;
const statement = { factType, subject, predicate, object };

const extractedFactSchema = z.strictObject({
  status: z.enum(WRITE_STATUSES).describe('unchanged if already known.'),
  factId: factId.optional().describe('Absent in a dry run if it is new.'),
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
    invalid: count.describe('Not in the required format, or too long.'),
    unquoted: count.describe('The quote is not in the message it names.'),
    untrusted: count.describe('A rule, a change or an end that the user did not say.'),
    unknown: count.describe('Refers to a known item that does not exist, began later, or may not be changed by it.'),
    excess: count.describe('Beyond the limit for one answer.'),
  })
  .describe('How many items of the language model were not stored, by reason.');

export type Dropped = z.output<typeof droppedSchema>;

export const rememberOutputSchema = z.strictObject({
  dryRun: z.boolean(),
  turns: z.array(turnSchema).describe('In the order of the messages.'),
  memories: z.array(extractedMemorySchema),
  facts: z.array(extractedFactSchema),
  closed: z
    .array(closedFactSchema)
    .describe('Facts that ended, because another replaced them or the conversation said so.'),
  dropped: droppedSchema,
  extracted: z.boolean().describe('Whether a language model has processed all turns of this call, now or before.'),
  pending: count.describe('Turns not processed yet. Send them again to process them.'),
  reason: z.string().optional().describe('Why not all turns were processed.'),
  model: z.string().optional().describe('The language model that was asked.'),
  cost: costSchema.optional().describe('The total cost of asking it.'),
});

export type RememberOutput = z.output<typeof rememberOutputSchema>;
