/** The step after scoring where there is a reranker: what it is shown, and what becomes of the scores by what it says. */

import type { Entry } from '../../domain/entry.ts';
import { isWithin, narrowed, type Sensitivity } from '../../domain/kind.ts';
import type { Principal } from '../../domain/principal.ts';
import type { Layer } from '../../domain/scope.ts';
import type { Entries } from '../../ports/entry-store.ts';
import { indexedText } from '../remember/content.ts';
import type { Found } from './found.ts';
import type { GuardedReranker } from './guarded-reranker.ts';
import type { Rank } from './merge.ts';
import type { Weights } from './score.ts';

/** More of a text no such model reads, and every token of it takes time. */
const MAX_CHARACTERS = 2000;

export interface RerankQuestion {
  readonly query: string;
  readonly rank: Rank;
  readonly limit: number;
  readonly weights: Weights;
  readonly maxSensitivity?: Sensitivity | undefined;
}

/**
 * The best are read together with the query. Whatever stands behind them by its own score is taken to be worth as little as
 * the least of them: so it does not overtake those that were looked at. Those that are too sensitive keep their score, and so
 * do all where the reranker cannot be used, which `warnings` says.
 */
export async function reranked(
  reranker: GuardedReranker,
  entries: Entries,
  principal: Principal,
  scored: readonly Found[],
  { query, rank, limit, weights, maxSensitivity }: RerankQuestion,
  warnings: string[],
): Promise<readonly Found[]> {
  const { policy, isOutside } = reranker;
  const most = isOutside ? narrowed(policy.maxSensitivity, maxSensitivity) : maxSensitivity;
  const best = bestOf(scored, rank, Math.max(policy.candidates, limit));
  const texts = await textsOf(entries, principal, best, most);
  if (texts.size === 0) return scored;
  const signals = await reranker.signals(cut(query), [...texts.values()], warnings);
  if (signals === undefined) return scored;
  const byId = new Map([...texts.keys()].map((id, index) => [id, signals[index]]));
  const least = Math.min(...signals);
  const isBest = new Set(best.map(({ id }) => id));
  return scored.map((one) => {
    const rerank = isBest.has(one.id) ? byId.get(one.id) : least;
    return rerank === undefined ? one : one.with({ rerank }, weights);
  });
}

/** By score; where layers come before scores, of each layer the best in turn, so that none is left unread. */
function bestOf(scored: readonly Found[], rank: Rank, count: number): Found[] {
  const sorted = scored.toSorted((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1));
  if (rank === 'relevance') return sorted.slice(0, count);
  const taken = new Map<Layer, number>();
  const turns = sorted.map((one) => {
    const turn = taken.get(one.layer) ?? 0;
    taken.set(one.layer, turn + 1);
    return { one, turn };
  });
  // Stable: within a turn the best score stays first.
  return turns
    .toSorted((a, b) => a.turn - b.turn)
    .slice(0, count)
    .map(({ one }) => one);
}

/** By id, of those that may be shown. What was made more sensitive since an earlier moment is so for that moment too. */
async function textsOf(
  entries: Entries,
  principal: Principal,
  best: readonly Found[],
  most: Sensitivity | undefined,
): Promise<ReadonlyMap<string, string>> {
  const mayGo = ({ sensitivity }: Entry): boolean => most === undefined || isWithin(sensitivity, most);
  const past = best.flatMap((one) => (one.past ? [one.past] : []));
  const present = best.filter((one) => one.past === undefined).map(({ id }) => id);
  const found = present.length === 0 ? [] : await entries.find(principal, present);
  const shown = [
    ...found.filter(mayGo),
    ...past.filter(({ now, former }) => mayGo(now) && mayGo(former)).map(({ former }) => former),
  ];
  return new Map(shown.map((entry) => [entry.id, textOf(entry)]));
}

/** With who said it, which a question may ask for. */
function textOf(entry: Entry): string {
  const said = entry.speaker === undefined ? '' : `${entry.speaker}: `;
  return cut(`${said}${indexedText(entry)}`);
}

/** Half a character would be no text. */
function cut(text: string): string {
  return text.slice(0, MAX_CHARACTERS).toWellFormed();
}
