/** Reads what a language model answers, trusting nothing in it: what does not fit is counted and left out. */

import { z } from 'zod';
import { LaminaError } from '../../domain/error.ts';
import { SENSITIVITIES } from '../../domain/kind.ts';

/** More than one window can sensibly yield; text that tells a model to write more gets no further. */
const MAX_ITEMS = 30;
const MAX_CONTENT = 1000;
const MAX_QUOTE = 1000;
const MAX_TERM = 200;
const MAX_ANSWER = 200_000;

/** What a database does not take, or gives back differently. */
const isPlain = (text: string): boolean => text.isWellFormed() && !text.includes('\0');

const text = (max: number): z.ZodType<string> => z.string().trim().min(1).max(max).refine(isPlain);
const unit = z.number().min(0).max(1).optional().catch(undefined);

const quoted = {
  message: z.int(),
  quote: text(MAX_QUOTE),
};

const memorySchema = z.object({
  kind: z.enum(['semantic', 'procedural']).catch('semantic'),
  content: text(MAX_CONTENT),
  when: text(MAX_CONTENT).optional().catch(undefined),
  importance: unit,
  sensitivity: z.enum(SENSITIVITIES).optional().catch(undefined),
  replaces: z.string().optional().catch(undefined),
  ...quoted,
});

const factSchema = z.object({
  factType: text(MAX_TERM),
  subject: text(MAX_TERM),
  predicate: text(MAX_TERM),
  object: text(MAX_TERM),
  confidence: unit,
  cardinality: z.enum(['one', 'many']).catch('many'),
  ...quoted,
});

const endedSchema = z.object({ fact: z.string(), ...quoted });

export type GivenMemory = z.output<typeof memorySchema>;
export type GivenFact = z.output<typeof factSchema>;
export type GivenEnd = z.output<typeof endedSchema>;

export interface ModelAnswer {
  readonly memories: readonly GivenMemory[];
  readonly facts: readonly GivenFact[];
  readonly ended: readonly GivenEnd[];
  /** How many did not fit, and how many were too many. */
  readonly invalid: number;
  readonly excess: number;
}

const listSchema = z.array(z.unknown()).optional();
const answerSchema = z.object({ memories: listSchema, facts: listSchema, ended: listSchema });

/** Throws `PROVIDER_ERROR` for what is no such answer at all. */
export function modelAnswer(answer: string): ModelAnswer {
  const parsed = answerSchema.safeParse(jsonIn(answer));
  if (!parsed.success) {
    throw new LaminaError(
      'PROVIDER_ERROR',
      'The language model gave an answer that cannot be used: it is not the JSON that was asked for.',
    );
  }
  const memories = fitting(memorySchema, parsed.data.memories);
  const facts = fitting(factSchema, parsed.data.facts);
  const ended = fitting(endedSchema, parsed.data.ended);
  return {
    memories: memories.items,
    facts: facts.items,
    ended: ended.items,
    invalid: memories.invalid + facts.invalid + ended.invalid,
    excess: memories.excess + facts.excess + ended.excess,
  };
}

interface Fitting<Item> {
  readonly items: readonly Item[];
  readonly invalid: number;
  readonly excess: number;
}

function fitting<Item>(schema: z.ZodType<Item>, given: readonly unknown[] = []): Fitting<Item> {
  const looked = given.slice(0, MAX_ITEMS);
  const items = looked.map((item) => schema.safeParse(item)).flatMap(({ data }) => (data === undefined ? [] : [data]));
  return { items, invalid: looked.length - items.length, excess: given.length - looked.length };
}

/** Many models put a fence around it, or a sentence before it. Undefined where there is none. */
function jsonIn(answer: string): unknown {
  if (answer.length > MAX_ANSWER) return undefined;
  const [start, end] = [answer.indexOf('{'), answer.lastIndexOf('}')];
  if (start < 0 || end < start) return undefined;
  try {
    return JSON.parse(answer.slice(start, end + 1));
  } catch {
    return undefined;
  }
}
