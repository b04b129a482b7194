/** Reading LoCoMo (Maharana et al., 2024): long conversations of two people, with questions and the turns that answer them. */

import { z } from 'zod';
import type { RecallCase, RecallTurn } from './recall-case.ts';

const turnSchema = z.object({
  speaker: z.string(),
  dia_id: z.string(),
  text: z.string(),
  blip_caption: z.string().optional(),
});

const questionSchema = z.object({
  question: z.string(),
  evidence: z.array(z.string()).default([]),
  category: z.int(),
});

const conversationSchema = z.object({
  sample_id: z.string(),
  conversation: z.record(z.string(), z.unknown()),
  qa: z.array(questionSchema),
});

/** As the paper names them. */
const CATEGORIES: Readonly<Record<number, string>> = {
  1: 'multi-hop',
  2: 'temporal',
  3: 'open-domain',
  4: 'single-hop',
  5: 'adversarial',
};

/** Throws a `ZodError` for what is not LoCoMo. */
export function readLocomo(json: unknown): RecallCase[] {
  return z
    .array(conversationSchema)
    .parse(json)
    .map(({ sample_id: name, conversation, qa }) => {
      const turns = sessionsOf(conversation).flatMap(([number, said, at]) => turnsOf(number, said, at));
      const ids = new Set(turns.map(({ id }) => id));
      const questions = qa.map(({ question, evidence, category }) => ({
        text: question,
        category: CATEGORIES[category] ?? `category ${category}`,
        evidence: [...new Set(evidence.flatMap(turnIds))].filter((id) => ids.has(id)),
      }));
      return { name, turns, questions };
    });
}

type Session = readonly [number: number, turns: readonly z.output<typeof turnSchema>[], at: number];

function sessionsOf(conversation: Readonly<Record<string, unknown>>): Session[] {
  const numbers = Object.keys(conversation).flatMap((key) => /^session_(\d+)$/u.exec(key)?.[1] ?? []);
  return numbers
    .map(Number)
    .toSorted((a, b) => a - b)
    .map((number) => [
      number,
      z.array(turnSchema).parse(conversation[`session_${number}`]),
      timeOf(z.string().parse(conversation[`session_${number}_date_time`])),
    ]);
}

/** A session has one time; its turns follow each other by a minute. */
function turnsOf(number: number, said: Session[1], at: number): RecallTurn[] {
  return said.map(({ dia_id: id, speaker, text, blip_caption: caption }, index) => ({
    id,
    session: `session-${number}`,
    turn: index,
    at: at + index * 60_000,
    speaker,
    text: caption === undefined ? text : `${text}\n[shares a picture: ${caption}]`,
  }));
}

/** "1:56 pm on 8 May, 2023", which is taken as UTC. */
function timeOf(text: string): number {
  const found = /^(\d+):(\d+) (am|pm) on (\d+ \w+), (\d+)$/u.exec(text.trim());
  if (!found) throw new Error(`There is no time in ${JSON.stringify(text)}.`);
  const [, hour, minute, half, day, year] = found;
  const hours = (Number(hour) % 12) + (half === 'pm' ? 12 : 0);
  return Date.parse(`${day} ${year} 00:00 UTC`) + (hours * 60 + Number(minute)) * 60_000;
}

/** Some questions name several turns in one string, or spell them `D:8:6`. */
function turnIds(evidence: string): string[] {
  return [...evidence.matchAll(/D:?(\d+):(\d+)/gu)].map(([, session, turn]) => `D${Number(session)}:${Number(turn)}`);
}
