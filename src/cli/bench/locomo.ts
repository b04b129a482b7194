/** Reading LoCoMo (Maharana et al., 2024): long conversations of two people, with questions and the turns that answer them. */

import { z } from 'zod';
import type { RecallCase, RecallQuestion, RecallTurn } from './recall-case.ts';

const turnSchema = z.object({
  speaker: z.string().min(1),
  dia_id: z.string(),
  text: z.string(),
  blip_caption: z.string().optional(),
});

/** "1:56 pm on 8 May, 2023", which is taken as UTC. */
const timeSchema = z.string().transform((text, context) => {
  const time = timeOf(text);
  if (time !== undefined) return time;
  context.addIssue({ code: 'custom', message: 'expected a time such as "1:56 pm on 8 May, 2023"' });
  return z.NEVER;
});

const conversationSchema = z.record(z.string(), z.unknown()).transform((conversation, context): Session[] => {
  const numbers = Object.keys(conversation).flatMap((key) => /^session_(\d+)$/u.exec(key)?.[1] ?? []);
  return numbers
    .map(Number)
    .toSorted((a, b) => a - b)
    .map((number) => {
      const read = <T>(schema: z.ZodType<T>, key: string): T | undefined => {
        const { data, error } = schema.safeParse(conversation[key]);
        for (const { message, path } of error?.issues ?? []) {
          context.addIssue({ code: 'custom', message, path: [key, ...path] });
        }
        return data;
      };
      const said = read(z.array(turnSchema), `session_${number}`) ?? [];
      return { number, said, at: read(timeSchema, `session_${number}_date_time`) ?? 0 };
    });
});

const locomoSchema = z.array(
  z.object({
    sample_id: z.string().min(1),
    conversation: conversationSchema,
    qa: z.array(
      z.object({
        question: z.string().trim().min(1),
        evidence: z.array(z.string()).default([]),
        category: z.int(),
      }),
    ),
  }),
);

interface Session {
  readonly number: number;
  readonly said: readonly z.output<typeof turnSchema>[];
  readonly at: number;
}

/** By the numbers in the data, as the paper names them. */
export const LOCOMO_CATEGORIES: Readonly<Record<string, string>> = {
  1: 'multi-hop',
  2: 'temporal',
  3: 'open-domain',
  4: 'single-hop',
  5: 'adversarial',
};

/** Asks one person about what the other one said. */
const UNANSWERABLE = 5;

/** A session has one time; its turns follow each other by a minute. */
const TURN_MS = 60_000;

/** Throws a `ZodError` for what is not LoCoMo. */
export function readLocomo(json: unknown): RecallCase[] {
  return locomoSchema.parse(json).map(({ sample_id: name, conversation, qa }) => {
    const turns = conversation.flatMap(turnsOf);
    const sessions = new Map(turns.map(({ id, session }) => [id, session]));
    const questions = qa.map(({ question, evidence, category }, index): RecallQuestion => {
      const named = [...new Set(evidence.flatMap(turnIds))].filter((id) => sessions.has(id));
      return {
        id: `${name}/${index + 1}`,
        text: question,
        category: LOCOMO_CATEGORIES[category] ?? `category ${category}`,
        isAnswerable: category !== UNANSWERABLE,
        evidence: named,
        sessions: [...new Set(named.flatMap((id) => sessions.get(id) ?? []))],
      };
    });
    return { name, turns, questions };
  });
}

function turnsOf({ number, said, at }: Session): RecallTurn[] {
  return said.map(({ dia_id: id, speaker, text, blip_caption: caption }, index) => ({
    id,
    session: `session-${number}`,
    turn: index,
    at: at + index * TURN_MS,
    role: 'user',
    speaker,
    text: caption === undefined ? text : `${text}\n[shares a picture: ${caption}]`,
  }));
}

function timeOf(text: string): number | undefined {
  const found = /^(\d+):(\d+) (am|pm) on (\d+ \w+), (\d+)$/u.exec(text.trim());
  if (!found) return undefined;
  const [, hour, minute, half, day, year] = found;
  const hours = (Number(hour) % 12) + (half === 'pm' ? 12 : 0);
  const time = Date.parse(`${day} ${year} 00:00 UTC`) + (hours * 60 + Number(minute)) * 60_000;
  return Number.isNaN(time) ? undefined : time;
}

/** Some questions name several turns in one string, or spell them `D:8:6`. */
function turnIds(evidence: string): string[] {
  return [...evidence.matchAll(/D:?(\d+):(\d+)/gu)].map(([, session, turn]) => `D${Number(session)}:${Number(turn)}`);
}
