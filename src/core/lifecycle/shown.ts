/** Entries as they are shown: where decay is on with their relevance as it is now, and as decayed where that is little. */

import { currentRelevance, hasDecayed } from '../../domain/decay.ts';
import type { Entry } from '../../domain/entry.ts';
import type { Dependencies } from '../dependencies.ts';

type Needs = Pick<Dependencies, 'lifecycle' | 'clock'>;

/** Only for what leaves the core: what is written is made from what is stored. */
export function shown({ lifecycle: { decay }, clock }: Needs, entry: Entry): Entry {
  const relevance = currentRelevance(entry, decay, clock.now());
  if (relevance === undefined) return entry;
  const status = hasDecayed(entry.relevance, relevance, decay) ? 'decayed' : 'active';
  return { ...entry, currentRelevance: relevance, status };
}

/** The same for an answer that holds one. */
export function withShown<Answer extends { readonly memory: Entry }>(needs: Needs, answer: Answer): Answer {
  return { ...answer, memory: shown(needs, answer.memory) };
}
