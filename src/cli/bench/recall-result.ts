/** What came of the questions about a conversation: kept when it is done, so that a run can be resumed. */

import { z } from 'zod';
import { MODE_NAMES, type RecallMode } from './recall-mode.ts';

/** From 1; null where it was not found. */
const rankSchema = z.int().min(1).nullable();

const modeSchema = z.enum(MODE_NAMES as [RecallMode, ...RecallMode[]]);

const answerSchema = z.strictObject({
  turns: z.array(rankSchema).describe('Of each turn that should be found.'),
  sessions: z.array(rankSchema).describe('The same of sessions, by the best of their turns.'),
});

const durationSchema = z.strictObject({
  ms: z.number().describe('The whole call.'),
  embeddingMs: z.number().describe('Thereof for the vector of the query.'),
});

export const askedQuestionSchema = z.strictObject({
  id: z.string(),
  category: z.string(),
  isAnswerable: z.boolean(),
  isForeign: z.boolean().describe('It is about another conversation, so that nothing here answers it.'),
  topScore: z.number().describe('Of the best result; 0 where there is none.'),
  scores: z.array(z.number().nullable()).describe('Of each turn that should be found, null where it was not.'),
  answers: z.partialRecord(modeSchema, answerSchema),
  durations: z.partialRecord(modeSchema, durationSchema),
});

export type AskedQuestion = z.output<typeof askedQuestionSchema>;

export const recallResultSchema = z.strictObject({
  name: z.string().describe('Of the conversation.'),
  questions: z.array(askedQuestionSchema),
});

export type RecallResult = z.output<typeof recallResultSchema>;
