/** The order in which memories that were found are offered room: by score, and the newer before the older that is as good. Pure. */

import type { TurnCandidate } from './candidate.ts';

/** Scores that differ by less evidence than this tell no difference: of the best then what was said last holds more often. */
const AS_GOOD = 0.25;

/** The best first, as given, but of those that are as good as the first the newest. */
export function newerFirst<T extends TurnCandidate>(items: readonly T[]): T[] {
  const best = items[0]?.name.score;
  if (best === undefined) return [...items];
  const isAsGood = ({ name: { score = 0 } }: T): boolean => evidenceOf(best) - evidenceOf(score) <= AS_GOOD;
  const first = items.filter(isAsGood).toSorted(byAge);
  return [...first, ...items.filter((item) => !isAsGood(item))];
}

/** Nearer to 1 than this no score tells more. */
const NEAREST = 1e-9;

/** What a score was made of. */
function evidenceOf(score: number): number {
  const bounded = Math.min(1 - NEAREST, Math.max(NEAREST, score));
  return Math.log(bounded / (1 - bounded));
}

/** Turns of one moment by their numbers. */
function byAge(a: TurnCandidate, b: TurnCandidate): number {
  return timeOf(b) - timeOf(a) || (b.said?.turn ?? 0) - (a.said?.turn ?? 0);
}

function timeOf({ since }: TurnCandidate): number {
  return since === undefined ? 0 : Date.parse(since);
}
