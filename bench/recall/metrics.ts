/** How well answers are found: from the ranks of what should be found to the figures of a table. */

export const CUTS = [1, 5, 10, 25, 50] as const;

/** One question: the places, from 0, at which its evidence came up; infinity for what did not. */
export interface Ranks {
  readonly category: string;
  readonly ranks: readonly number[];
}

export interface RecallFigures {
  readonly questions: number;
  /** By cut: the share of the evidence, whether all of it and whether any of it was there; means over questions. */
  readonly recall: Readonly<Record<number, number>>;
  readonly allHit: Readonly<Record<number, number>>;
  readonly anyHit: Readonly<Record<number, number>>;
  readonly meanReciprocalRank: number;
  readonly ndcg10: number;
}

export function figuresOf(questions: readonly Ranks[]): RecallFigures {
  const mean = (of: (ranks: readonly number[]) => number): number =>
    questions.reduce((sum, { ranks }) => sum + of(ranks), 0) / Math.max(1, questions.length);
  const byCut = (of: (within: number, ranks: readonly number[]) => number): Record<number, number> =>
    Object.fromEntries(CUTS.map((cut) => [cut, mean((ranks) => of(ranks.filter((rank) => rank < cut).length, ranks))]));
  return {
    questions: questions.length,
    recall: byCut((within, ranks) => within / ranks.length),
    allHit: byCut((within, ranks) => Number(within === ranks.length)),
    anyHit: byCut((within) => Number(within > 0)),
    meanReciprocalRank: mean((ranks) => 1 / (1 + Math.min(...ranks))),
    ndcg10: mean(ndcg),
  };
}

function ndcg(ranks: readonly number[]): number {
  const gain = (rank: number): number => (rank < 10 ? 1 / Math.log2(rank + 2) : 0);
  const ideal = ranks.reduce((sum, _, index) => sum + gain(index), 0);
  return ranks.reduce((sum, rank) => sum + gain(rank), 0) / ideal;
}

/** Overall first, then by category. */
export function figuresByCategory(questions: readonly Ranks[]): Map<string, RecallFigures> {
  const categories = Map.groupBy(questions, ({ category }) => category);
  const names = [...categories.keys()].toSorted();
  return new Map([
    ['all', figuresOf(questions)],
    ...names.map((name): [string, RecallFigures] => [name, figuresOf(categories.get(name) ?? [])]),
  ]);
}
