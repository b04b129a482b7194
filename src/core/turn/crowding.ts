/**
 * Strangers must not crowd out what the user and the agent know: together they get at most half of a prompt, and each of
 * them only a few places.
 */

import type { SearchResult } from '../../domain/recall.ts';
import { isStranger } from '../../domain/trust.ts';
import { overlap } from '../recall/similarity.ts';
import { lexemesOf } from '../text/lexemes.ts';
import type { Answer, Ask } from './recalled-part.ts';

/** Of one source, and of texts that share most of their words. */
const MAX_ALIKE = 3;
const ALIKE = 0.7;

/** If there are too many of them, trusted results are searched for separately, so that no flood displaces one. */
export async function uncrowded(answer: Answer, limit: number, ask: Ask): Promise<Answer> {
  const strangers = answer.results.filter(({ memory }) => isStranger(memory.trust));
  const kept = thinned(strangers).slice(0, Math.max(1, Math.floor(limit / 2)));
  if (kept.length === strangers.length) return answer;
  const isAll = answer.total <= answer.results.length;
  const others = isAll
    ? answer.results.filter((result) => !strangers.includes(result))
    : (await ask(limit, 'agent')).results;
  return { ...answer, results: [...others, ...kept].toSorted((a, b) => b.score - a.score) };
}

function thinned(strangers: readonly SearchResult[]): SearchResult[] {
  const kept: { readonly result: SearchResult; readonly words: ReadonlySet<string> }[] = [];
  for (const result of strangers) {
    const words = new Set(lexemesOf(result.memory.content));
    const alike = kept.filter((one) => isSameSource(one.result, result) || overlap(one.words, words) >= ALIKE);
    if (alike.length < MAX_ALIKE) kept.push({ result, words });
  }
  return kept.map(({ result }) => result);
}

function isSameSource({ memory: { source: one } }: SearchResult, { memory: { source: other } }: SearchResult): boolean {
  return one?.reference !== undefined && one.type === other?.type && one.reference === other.reference;
}
