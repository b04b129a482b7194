/** A candidate as a line of a prompt: whole, or as the passage of it that fits the question best. Pure. */

import { queryTerms } from '../text/lexemes.ts';
import type { TurnCandidate } from './candidate.ts';
import { excerptOf } from './excerpt.ts';
import { lineOf, lineTokens } from './render.ts';

export interface TurnItem extends TurnCandidate {
  readonly line: string;
  readonly tokens: number;
  /** The line holds only a passage of it. */
  readonly isExcerpt?: true;
}

/** Undefined where nothing of it can be seen. */
export function itemOf(candidate: TurnCandidate): TurnItem | undefined {
  const line = lineOf(candidate);
  return line === undefined ? undefined : { ...candidate, line, tokens: lineTokens(line) };
}

/** Where a passage turns out to take more tokens than its share of the characters promised, it is made so much shorter. */
const SHORTER = 0.8;

/** Of at most so many tokens. Only of memories that were searched for: half a rule is another rule, and half a value none. */
export function cutItem(item: TurnItem, query: string, maxTokens: number): TurnItem | undefined {
  if (item.section !== 'memory') return undefined;
  const terms = new Set(queryTerms(query));
  for (let characters = (item.content.length * maxTokens) / item.tokens; ; characters *= SHORTER) {
    const excerpt = excerptOf(item.content, terms, characters);
    const line = excerpt === undefined ? undefined : lineOf(item, excerpt);
    if (line === undefined) return undefined;
    const tokens = lineTokens(line);
    if (tokens <= maxTokens) return { ...item, line, tokens, isExcerpt: true };
  }
}
