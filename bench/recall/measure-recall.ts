/** Remembering a conversation as a user would, asking every question about it, and seeing where the answers stand. */

import type { Memory } from '../../src/operations/memory.ts';
import type { OperationInput } from '../../src/operations/table.ts';
import type { Ranks } from './metrics.ts';
import { logInput, type RecallCase, type RecallQuestion } from './recall-case.ts';

export interface Asked extends Ranks {
  readonly question: RecallQuestion;
  /** How long it took. */
  readonly ms: number;
  /** Scores of all that was found, best first. */
  readonly scores: readonly number[];
}

const LIMIT = 50;
const AT_ONCE = 64;

/** Each turn by a call of its own, many at a time. */
export async function rememberCase(memory: Memory, { turns }: RecallCase): Promise<void> {
  for (let start = 0; start < turns.length; start += AT_ONCE) {
    await Promise.all(turns.slice(start, start + AT_ONCE).map((turn) => memory.episodic.log(logInput(turn))));
  }
}

export async function askCase(
  memory: Memory,
  { questions }: RecallCase,
  options: Partial<OperationInput<'episodic.search'>> = {},
): Promise<Asked[]> {
  const asked: Asked[] = [];
  for (const question of questions) {
    const started = performance.now();
    const { results } = await memory.episodic.search({ query: question.text, limit: LIMIT, threshold: 0, ...options });
    const ms = performance.now() - started;
    const places = new Map(results.map(({ metadata }, index) => [metadata['evidence'], index]));
    const ranks = question.evidence.map((id) => places.get(id) ?? Number.POSITIVE_INFINITY);
    asked.push({ question, category: question.category, ranks, ms, scores: results.map(({ score }) => score) });
  }
  return asked;
}
