/** Recalling from a reach: candidates by words and by meaning, score, merge, and only then the entries themselves. */

import type { Entry } from '../../domain/entry.ts';
import { isWithin } from '../../domain/kind.ts';
import { assertCharacters } from '../../domain/limits.ts';
import { OutdatedRecollection } from '../../domain/outdated-recollection.ts';
import type { Principal } from '../../domain/principal.ts';
import {
  DEFAULT_SEARCH_LIMIT,
  DEFAULT_THRESHOLD,
  type LeftOut,
  type SearchInput,
  type SearchResult,
  type Signals,
} from '../../domain/recall.ts';
import type { EmbeddingSpace } from '../../ports/embedder.ts';
import type { Reach, Recollection } from '../../ports/entry-store.ts';
import { withEmbeddings } from '../browse/embedding.ts';
import { unreadableWarnings } from '../browse/unreadable.ts';
import type { Dependencies } from '../dependencies.ts';
import { faded } from './fading.ts';
import type { Found } from './found.ts';
import { gather, type Mode } from './gather.ts';
import { leftOutOf } from './left-out.ts';
import { likeness } from './likeness.ts';
import { memoriesThen } from './as-of-results.ts';
import type { PastReach } from './as-of-changes.ts';
import { mergeSame } from './merge-same.ts';
import { mergeWindow } from './merge.ts';
import { reranked } from './rerank.ts';
import { evidenceOf, WEIGHTS, type Weights } from './score.ts';
import { withinSensitivity } from './withheld.ts';

/** How often to answer from what is remembered, where it turns out that it has changed. */
const MAX_RECOLLECTIONS = 2;

/** What to look for, and how much of it; where to look is the reach. */
export type Question = Pick<
  SearchInput,
  'query' | 'limit' | 'threshold' | 'mode' | 'rank' | 'includeEmbeddings' | 'rerank' | 'maxSensitivity' | 'explain'
>;

export interface Recalled {
  readonly results: SearchResult[];
  /** How many passed the threshold, before the limit. */
  readonly total: number;
  /** How many passed it that are too sensitive to be shown. */
  readonly withheld: number;
  readonly warnings: string[];
  /** What it looked at and how: worked out for whoever asks. */
  readonly trace: () => RecallTrace;
  /** What it did not answer with, and why: read for whoever asks. */
  readonly leftOut: () => Promise<LeftOut>;
}

/** What was looked at, and what spoke for it. */
export interface Weighed extends Pick<SearchResult, 'score' | 'signals' | 'layer'> {
  readonly id: string;
  readonly similarity: number | undefined;
}

export interface RecallTrace {
  /** Words alone where the query could not be embedded. */
  readonly mode: Mode;
  readonly space: EmbeddingSpace | undefined;
  /** Also those that did not pass the threshold, in no particular order. */
  readonly candidates: readonly Weighed[];
}

/**
 * With `past`, everything is as it stood then: what is found, how it ranks, and what is shown. Throws `QUERY_TOO_LONG`,
 * and `EMBEDDING_FAILED` where meaning alone was asked for.
 */
export async function recall(
  dependencies: Dependencies,
  principal: Principal,
  reach: Reach,
  question: Question,
  past?: PastReach,
): Promise<Recalled> {
  const { entries, reranker } = dependencies;
  // Nothing that costs money is asked twice.
  const most = past || reranker ? 0 : MAX_RECOLLECTIONS;
  for (let attempt = 1; attempt <= most; attempt += 1) {
    const recollection = entries.recollection?.();
    if (recollection === undefined) break;
    try {
      return await recallBy(recollection, dependencies, principal, reach, question);
    } catch (error) {
      if (!(error instanceof OutdatedRecollection)) throw error;
    }
  }
  return recallBy(entries, dependencies, principal, reach, question, past);
}

async function recallBy(
  recollection: Recollection,
  dependencies: Dependencies,
  principal: Principal,
  reach: Reach,
  question: Question,
  past?: PastReach,
): Promise<Recalled> {
  const { query, mode = 'hybrid', rank = 'precedence', rerank = true } = question;
  const { maxSensitivity, includeEmbeddings = false, explain = false } = question;
  const { limit = DEFAULT_SEARCH_LIMIT, threshold = DEFAULT_THRESHOLD } = question;
  assertCharacters('QUERY_TOO_LONG', 'The query', query, dependencies.limits.queryLength);
  const { found, space, warnings } = await gather(
    dependencies,
    recollection,
    principal,
    reach,
    query,
    mode,
    limit,
    past,
  );
  const ranking = space ? mode : 'keyword';
  const { reranker, entries } = dependencies;
  const asked = { query, rank, limit, weights: WEIGHTS[ranking], maxSensitivity };
  const judged = reranker && rerank ? await reranked(reranker, entries, principal, found, asked, warnings) : found;
  const near = judged.filter(({ score }) => score >= threshold);
  // How often a memory had been read at an earlier moment is not known, so that nothing has faded then.
  const passed = past ? near : await faded(dependencies, principal, near, WEIGHTS[ranking], threshold);
  const open = maxSensitivity ? await withinSensitivity(entries, principal, passed, maxSensitivity) : passed;
  const window = mergeWindow(open, rank, limit);
  const alike = await likeness(dependencies, principal, space, window);
  const { top, overridden } = await mergeSame(dependencies, principal, window, rank, limit, alike);
  const total = open.length - overridden.length;
  const memories = past
    ? await memoriesThen(dependencies, principal, top, past.at, includeEmbeddings)
    : await memoriesNow(dependencies, recollection, principal, top, includeEmbeddings, explain);
  const read = new Set(memories.map(({ id }) => id));
  const unread = past ? [] : top.filter(({ id }) => !read.has(id)).map(({ id }) => id);
  warnings.push(...(await unreadableWarnings(entries, principal, unread)));
  // What was made more sensitive in the meantime stays out as well.
  const shown = memories.filter(
    ({ sensitivity }) => maxSensitivity === undefined || isWithin(sensitivity, maxSensitivity),
  );
  const results = resultsOf(top, shown, WEIGHTS[ranking]);
  const trace = (): RecallTrace => ({
    mode: ranking,
    space,
    candidates: weighed([...judged, ...passed], WEIGHTS[ranking]),
  });
  const leftOut = (): Promise<LeftOut> =>
    leftOutOf(entries, principal, { judged, near, passed, open, overridden, top }, maxSensitivity);
  return { results, total, withheld: passed.length - open.length, warnings, trace, leftOut };
}

/** Each as it stood in the end. */
function weighed(stages: readonly Found[], weights: Weights): Weighed[] {
  const latest = new Map(stages.map((one) => [one.id, one]));
  return [...latest.values()].map((one) => ({
    id: one.id,
    layer: one.layer,
    score: one.score,
    similarity: one.candidate.similarity,
    signals: explained(one.signals(), weights),
  }));
}

/** Who asks why is looking at memory, not using it: that counts as no access. */
async function memoriesNow(
  dependencies: Dependencies,
  recollection: Recollection,
  principal: Principal,
  top: readonly Found[],
  includeEmbeddings: boolean,
  explain: boolean,
): Promise<Entry[]> {
  const { entries } = dependencies;
  const ids = top.map(({ id }) => id);
  const found = await recollection.find(principal, ids);
  const shown = includeEmbeddings ? await withEmbeddings(dependencies, principal, found) : found;
  if (!explain) entries.touch(principal, ids);
  return shown;
}

function resultsOf(top: readonly Found[], memories: readonly Entry[], weights: Weights): SearchResult[] {
  const byId = new Map(memories.map((entry) => [entry.id, entry]));
  return top.flatMap((one) => {
    const memory = byId.get(one.id);
    // Forgotten between ranking and reading: then it is not there.
    if (memory === undefined) return [];
    const { score, layer, candidate } = one;
    const signals = explained(one.signals(), weights);
    return [{ memory, score, similarity: candidate.similarity ?? null, signals, layer }];
  });
}

function explained(signals: Signals, weights: Weights): Signals {
  return { ...signals, evidence: evidenceOf(signals, weights) };
}
