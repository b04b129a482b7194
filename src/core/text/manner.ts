/** How a turn is said. A search looks at hundreds of turns, and mostly at those of the search before: each is read once. */

import { saysWhen } from './named-times.ts';
import { isQuestion } from './questions.ts';
import { isNews, isNumbered, isReaction, naming } from './telling.ts';

export interface Manner {
  /** Between 0 and 1. */
  readonly names: number;
  readonly asks: boolean;
  readonly isNews: boolean;
  readonly isReaction: boolean;
  readonly isNumbered: boolean;
  readonly saysWhen: boolean;
}

/** About a hundred bytes each. Then it begins anew. */
const MOST_KNOWN = 32_768;

/** By the hash of the content, so that no text stays here which is forgotten elsewhere. */
const known = new Map<string, Manner>();

/** `ending` is the end of the content that has this hash: always as much of it, where there is as much. */
export function mannerOf(contentHash: string, ending: string): Manner {
  const manner = known.get(contentHash);
  if (manner !== undefined) return manner;
  if (known.size >= MOST_KNOWN) known.clear();
  const read = {
    names: naming(ending),
    asks: isQuestion(ending),
    isNews: isNews(ending),
    isReaction: isReaction(ending),
    isNumbered: isNumbered(ending),
    saysWhen: saysWhen(ending),
  };
  known.set(contentHash, read);
  return read;
}
