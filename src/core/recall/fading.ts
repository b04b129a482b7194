/** What decay does to a ranking: what has lost relevance scores less. Nothing at all while decay is off. */

import { currentRelevance } from '../../domain/decay.ts';
import type { Principal } from '../../domain/principal.ts';
import type { Dependencies } from '../dependencies.ts';
import type { Found } from './found.ts';
import type { Weights } from './score.ts';

/**
 * Read for those that passed the threshold, because relevance only ever takes away: what did not pass cannot pass now.
 * They are found by id, so that no index has to know how often each was read.
 */
export async function faded(
  { entries, lifecycle: { decay }, clock }: Dependencies,
  principal: Principal,
  passed: readonly Found[],
  weights: Weights,
  threshold: number,
): Promise<readonly Found[]> {
  if (!decay.enabled || passed.length === 0) return passed;
  const found = await entries.find(
    principal,
    passed.map(({ id }) => id),
  );
  const now = clock.now();
  const relevances = new Map(found.map((entry) => [entry.id, currentRelevance(entry, decay, now)]));
  return passed
    .map((one) => {
      const relevance = relevances.get(one.id);
      return relevance === undefined ? one : one.with({ relevance }, weights);
    })
    .filter(({ score }) => score >= threshold);
}
