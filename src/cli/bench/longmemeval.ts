/** Reading LongMemEval (Wu et al., 2025): each question with a history of its own between a user and an assistant. */

import { z } from 'zod';
import type { RecallCase, RecallTurn } from './recall-case.ts';

/** "2023/05/20 (Sat) 02:21", which is taken as UTC. */
const timeSchema = z.string().transform((text, context) => {
  const [, year, month, day, hour, minute] =
    /^(\d{4})\/(\d\d)\/(\d\d)(?: \(\w+\))?(?: (\d\d):(\d\d))?$/u.exec(text.trim()) ?? [];
  const time = Date.parse(`${year}-${month}-${day}T${hour ?? '00'}:${minute ?? '00'}:00Z`);
  if (!Number.isNaN(time)) return time;
  context.addIssue({ code: 'custom', message: 'expected a time such as "2023/05/20 (Sat) 02:21"' });
  return z.NEVER;
});

const turnSchema = z.object({
  role: z.enum(['user', 'assistant']),
  content: z.string(),
  has_answer: z.boolean().nullish(),
});

const instanceSchema = z
  .object({
    question_id: z.string().min(1),
    question_type: z.string().min(1),
    question: z.string().trim().min(1),
    question_date: timeSchema,
    haystack_dates: z.array(timeSchema),
    haystack_session_ids: z.array(z.string().min(1)),
    haystack_sessions: z.array(z.array(turnSchema)),
    answer_session_ids: z.array(z.string()),
  })
  .refine(
    ({ haystack_dates: dates, haystack_session_ids: ids, haystack_sessions: sessions }) =>
      dates.length === sessions.length && ids.length === sessions.length,
    { message: 'haystack_dates, haystack_session_ids and haystack_sessions differ in length' },
  );

type Instance = z.output<typeof instanceSchema>;

/** Of the ids of questions whose answer is in none of the sessions. */
const UNANSWERABLE = '_abs';
const UNANSWERABLE_CATEGORY = 'abstention';

/** A session has one time; its turns follow each other by a minute. */
const TURN_MS = 60_000;

/** Throws a `ZodError` for what is not LongMemEval. */
export function readLongMemEval(json: unknown): RecallCase[] {
  return z.array(instanceSchema).parse(json).map(caseOf);
}

function caseOf(instance: Instance): RecallCase {
  const { question_id: id, question, question_type: type, question_date: askedAt } = instance;
  const said = sessionsOf(instance).flatMap(({ key, at, turns }) => turns.map((turn) => ({ key, at, ...turn })));
  const isAnswerable = !id.endsWith(UNANSWERABLE);
  const held = new Set(said.map(({ key }) => key));
  return {
    name: id,
    turns: said.map(({ turn }) => turn),
    questions: [
      {
        id,
        text: question,
        category: isAnswerable ? type : UNANSWERABLE_CATEGORY,
        isAnswerable,
        // What is marked in the history of a question without an answer only looks like one.
        evidence: isAnswerable ? said.flatMap(({ turn, hasAnswer }) => (hasAnswer ? [turn.id] : [])) : [],
        sessions: isAnswerable ? [...new Set(instance.answer_session_ids)].filter((session) => held.has(session)) : [],
        askedAt,
      },
    ],
  };
}

interface Session {
  readonly key: string;
  readonly at: number;
  readonly turns: readonly { readonly turn: RecallTurn; readonly hasAnswer: boolean }[];
}

/** In the order in which they took place: some of the files are not sorted. */
function sessionsOf({
  haystack_dates: dates,
  haystack_session_ids: ids,
  haystack_sessions: sessions,
}: Instance): Session[] {
  return sessions
    .map((said, index) => {
      const [key, at] = [ids[index] as string, dates[index] as number];
      const turns = said.map(({ role, content, has_answer: hasAnswer }, turn) => ({
        // A session may stand there twice.
        turn: { id: `${index}/${key}/${turn}`, session: key, turn, at: at + turn * TURN_MS, role, text: content },
        hasAnswer: hasAnswer === true,
      }));
      return { key, at, turns };
    })
    .toSorted((a, b) => a.at - b.at);
}
