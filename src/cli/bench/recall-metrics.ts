/** How well answers are found: from the places of what should be found to the figures of a table. */

import { z } from 'zod';

/** Where it stands in the results, from 0; infinity for what was not found. */
export type Place = number;

const share = z.number().min(0).max(1);
const byCut = z.record(z.string(), share);

/** Means over questions, by the first so many results. */
export const recallFiguresSchema = z.strictObject({
  questions: z.int().min(0),
  recall: byCut.describe('The share of what should be found.'),
  allHit: byCut.describe('Whether all of it was found.'),
  anyHit: byCut.describe('Whether any of it was found.'),
  mrr: share.describe('1 divided by the rank of the first that was found.'),
  ndcg10: share,
});

export type RecallFigures = z.output<typeof recallFiguresSchema>;

const NDCG_CUT = 10;

/** Of questions for each of which something should be found; those without anything are not counted. */
export function figuresOf(questions: readonly (readonly Place[])[], cuts: readonly number[]): RecallFigures {
  const asked = questions.filter((places) => places.length > 0);
  const mean = (of: (places: readonly Place[]) => number): number =>
    asked.reduce((sum, places) => sum + of(places), 0) / Math.max(1, asked.length);
  const atCuts = (of: (within: number, places: readonly Place[]) => number): Record<string, number> =>
    Object.fromEntries(
      cuts.map((cut) => [cut, mean((places) => of(places.filter((place) => place < cut).length, places))]),
    );
  return {
    questions: asked.length,
    recall: atCuts((within, places) => within / places.length),
    allHit: atCuts((within, places) => Number(within === places.length)),
    anyHit: atCuts((within) => Number(within > 0)),
    mrr: mean((places) => 1 / (1 + Math.min(...places))),
    ndcg10: mean(ndcg),
  };
}

function ndcg(places: readonly Place[]): number {
  const gain = (place: Place): number => (place < NDCG_CUT ? 1 / Math.log2(place + 2) : 0);
  const ideal = places.reduce((sum, _, index) => sum + gain(index), 0);
  return places.reduce((sum, place) => sum + gain(place), 0) / ideal;
}

/** The least value that is not below `part` of the values; 0 where there are none. */
export function percentile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * part) - 1)] ?? 0;
}
