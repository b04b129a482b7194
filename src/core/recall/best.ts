/** Whether the question is answered at all, by the best that was found. All results share it but turns that count alone. */

import { crowdingOf } from './alone.ts';
import { shiftOf, SOME_EVIDENCE, type Weights } from './score.ts';
import type { SignalTable } from './signal-table.ts';

/** So much evidence is as good as more. */
const AMPLE_EVIDENCE = 2.7;

/** A turn is heard with those around it and finds words of any question more easily: what stands alone has so much less evidence. */
const ALONE = 2;

/** How much it counts that who is named says it better than others, or others better; and the most that does. */
const LEAD = 2;
const MOST_AHEAD = 1;
const MOST_BEHIND = 2;

/**
 * It moves all scores together and leaves their order alone. Where even the best has little to say, nothing passes a threshold; where it
 * has much, all are lifted, because what else answers the question is often said more weakly. Less so among few turns, of which that
 * would lift half; and not where there is anything that stands alone: that would be lifted by what others say.
 * Only where words and meaning are both looked at, and there are conversations: what stands alone is told by its own score.
 * `isHeard` tells of each by its index whether it is heard with others. Returns how crowded the conversations are; undefined where
 * nothing was moved.
 */
export function addBest(
  signals: SignalTable,
  weights: Weights,
  isHeard: (index: number) => boolean,
): number | undefined {
  if (weights.text === 0 || weights.vector === 0) return undefined;
  const sums = signals.sums(weights);
  const [times, speakers] = [signals.column('time'), signals.column('speaker')];
  let turns = 0;
  let [most, named, others] = [-Infinity, -Infinity, -Infinity];
  for (let index = 0; index < sums.length; index += 1) {
    // That it was said at another time than is named tells which is meant, and not whether any is: months are also words.
    const sum = Number(sums[index]) - (times?.[index] === 0 ? Math.min(0, shiftOf('time', 0)) : 0);
    const isTurn = isHeard(index);
    turns += Number(isTurn);
    most = Math.max(most, isTurn ? sum : sum + ALONE);
    const speaker = speakers?.[index] ?? Number.NaN;
    if (Number.isNaN(speaker)) continue;
    const said = sum - shiftOf('speaker', speaker);
    if (speaker === 1) named = Math.max(named, said);
    else others = Math.max(others, said);
  }
  if (turns === 0) return undefined;
  const isCompared = Number.isFinite(named) && Number.isFinite(others);
  const lead = isCompared ? LEAD * Math.min(MOST_AHEAD, Math.max(-MOST_BEHIND, named - others)) : 0;
  const crowding = crowdingOf(turns);
  const lift = turns < sums.length ? 0 : (1 - SOME_EVIDENCE) * Math.min(1, crowding);
  const best = Math.max(0, (most + lead) / AMPLE_EVIDENCE);
  signals.add('best').fill(Math.min(SOME_EVIDENCE + lift, best));
  return crowding;
}
