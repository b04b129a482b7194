/** Reads the body of a successful answer from a chat endpoint, trusting nothing in it. */

import { z } from 'zod';
import type { Cost } from '../domain/entry.ts';
import { LaminaError } from '../domain/error.ts';
import type { Completion } from '../ports/language-model.ts';

/** For a million tokens, in whatever currency. */
export interface Prices {
  readonly input: number;
  readonly output: number;
}

const MILLION = 1_000_000;

const tokens = z.int().min(0).catch(0);

const answerSchema = z.object({
  model: z.string().min(1).max(200).optional().catch(undefined),
  choices: z.array(z.object({ message: z.object({ content: z.string().trim().min(1) }) })).min(1),
  // Some servers do not count.
  usage: z
    .object({ prompt_tokens: tokens, completion_tokens: tokens })
    .catch({ prompt_tokens: 0, completion_tokens: 0 }),
});

/** Throws `PROVIDER_ERROR` for what holds no text. */
export function answerIn(body: string, asked: string, prices: Prices | undefined): Completion {
  const parsed = answerSchema.safeParse(parse(body));
  const text = parsed.data?.choices[0]?.message.content;
  if (parsed.data === undefined || text === undefined) {
    throw new LaminaError('PROVIDER_ERROR', 'The language model gave an answer that cannot be used: it holds no text.');
  }
  const { model = asked, usage } = parsed.data;
  return { text, model, cost: costOf(usage.prompt_tokens, usage.completion_tokens, prices) };
}

function costOf(inputTokens: number, outputTokens: number, prices: Prices | undefined): Cost {
  if (prices === undefined) return { inputTokens, outputTokens };
  return { inputTokens, outputTokens, price: (inputTokens * prices.input + outputTokens * prices.output) / MILLION };
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}
