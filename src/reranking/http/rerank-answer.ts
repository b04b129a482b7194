/** Reads the body of a successful answer from a rerank endpoint, trusting nothing in it. */

import { z } from 'zod';
import { LaminaError } from '../../domain/error.ts';

/** What the scores of an endpoint are: between 0 and 1, or log odds as some local servers give them. */
export const RERANK_SCORES = ['probability', 'logit'] as const;
export type RerankScores = (typeof RERANK_SCORES)[number];

/** Cohere, Jina and most others say `relevance_score`; text-embeddings-inference `score`. */
const rowSchema = z
  .object({ index: z.int().min(0), relevance_score: z.number().optional(), score: z.number().optional() })
  .transform(({ index, relevance_score: named, score }) => ({ index, score: named ?? score }));

const rowsSchema = z.array(rowSchema);

/** Cohere, Jina and most others say `results`, Voyage `data`, text-embeddings-inference gives the list alone. */
const answerSchema = z.union([
  rowsSchema,
  z.object({ results: rowsSchema }).transform(({ results }) => results),
  z.object({ data: rowsSchema }).transform(({ data }) => data),
]);

/** One score between 0 and 1 per text, in the order of the texts. Throws `PROVIDER_ERROR`. */
export function scoresIn(body: string, count: number, kind: RerankScores): number[] {
  const parsed = answerSchema.safeParse(parse(body));
  if (!parsed.success) refuse('it holds no list of scores');
  if (parsed.data.length !== count) refuse(`${count} texts were sent and ${parsed.data.length} scores came back`);
  const scores = new Map(parsed.data.map(({ index, score }) => [index, score]));
  return Array.from({ length: count }, (_, index) => {
    const score = scores.get(index) ?? refuse(`the score of text ${index} is missing`);
    return kind === 'logit' ? 1 / (1 + Math.exp(-score)) : probability(score);
  });
}

/** Some models give similarities, which may be a little below 0: those answer nothing. */
function probability(score: number): number {
  if (score >= -1 && score <= 1) return Math.max(0, score);
  return refuse('a score lies outside of 0 to 1; where it gives log odds, set the scores of the reranker to logit');
}

function refuse(problem: string): never {
  throw new LaminaError('PROVIDER_ERROR', `The reranker gave an answer that cannot be used: ${problem}.`);
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}
