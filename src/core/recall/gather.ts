/** Gathering candidates: whatever the words or the meaning of a query bring up, with what the ranking needs. */

import { LaminaError } from '../../domain/error.ts';
import type { Principal } from '../../domain/principal.ts';
import type { Signals } from '../../domain/recall.ts';
import type { Calibration, Embedder, EmbeddingSpace } from '../../ports/embedder.ts';
import type { Candidate, Embedding, Entries, Reach } from '../../ports/entry-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { queryTerms } from '../text/lexemes.ts';
import { PastCandidates, type PastCandidate } from './as-of-candidates.ts';
import type { PastReach } from './as-of-changes.ts';
import { bm25, type Bm25 } from './bm25.ts';
import { candidatesOf } from './candidates.ts';
import { aboveChance, signalsOf } from './score.ts';

export type Mode = 'hybrid' | 'keyword' | 'semantic';

/** More words than this do not make a question clearer; the rarest ones are kept. */
const MAX_TERMS = 32;

/**
 * How many are looked up to tell which are rare: counting costs time for each term in each partition. Of a longer query
 * half are its first and half its last ones, because what is asked about a long text stands before or after it.
 */
const MAX_COUNTED_TERMS = 64;

/** Candidates per index: several times what is asked for, so that fusion has something to choose from. */
const CANDIDATES_PER_RESULT = 4;
const MIN_CANDIDATES = 60;

interface Meaning {
  readonly embedding: Embedding;
  readonly calibration: Calibration;
}

export interface Found {
  readonly candidate: Candidate;
  readonly signals: Signals;
  /** As which it was found, where it was changed since the moment that was asked about. */
  readonly past?: Omit<PastCandidate, 'candidate'> | undefined;
}

export interface Gathered {
  readonly found: Found[];
  /** The space in which vectors were compared; undefined when only words were. */
  readonly space: EmbeddingSpace | undefined;
  readonly warnings: string[];
}

/** `moment` is the reach of an earlier one: then what was changed since is gathered too, as it stood. */
export async function gather(
  { entries, indexer, embedder, clock }: Dependencies,
  principal: Principal,
  reach: Reach,
  query: string,
  mode: Mode,
  limit: number,
  moment?: PastReach,
): Promise<Gathered> {
  const warnings: string[] = [];
  const count = Math.max(MIN_CANDIDATES, limit * CANDIDATES_PER_RESULT);
  const changed = moment && (await PastCandidates.read({ entries, embedder, clock }, principal, moment));
  const [meaning, words] = await Promise.all([
    mode === 'keyword' ? undefined : meaningOf(embedder, query, mode, warnings),
    mode === 'semantic' ? undefined : wordsOf(entries, principal, reach, query, changed),
  ]);
  const probe = { terms: words?.terms ?? [], embedding: meaning?.embedding };
  const isBlank = probe.terms.length === 0 && probe.embedding === undefined;
  if (isBlank) return { found: [], space: undefined, warnings };
  const candidates = await candidatesOf({ entries, indexer }, principal, reach, probe, count, warnings);
  const now = moment?.at ?? clock.now();
  const signals = (candidate: Candidate): Signals =>
    signalsOf(candidate, words?.coverage(candidate) ?? 0, vectorSignal(candidate, meaning), now);
  const wanted = { words, vector: meaning?.embedding.vector, isHybrid: mode === 'hybrid' };
  const earlier = changed ? await changed.find(wanted, warnings) : [];
  const found = [
    ...without(candidates, earlier).map((candidate) => ({ candidate, signals: signals(candidate) })),
    ...earlier.map(({ candidate, ...past }) => ({ candidate, signals: signals(candidate), past })),
  ];
  return { found, space: meaning?.embedding.space, warnings };
}

/** What is changed at this very moment may have been found both ways. */
function without(candidates: readonly Candidate[], earlier: readonly PastCandidate[]): readonly Candidate[] {
  if (earlier.length === 0) return candidates;
  const ids = new Set(earlier.map(({ candidate }) => candidate.id));
  return candidates.filter(({ id }) => !ids.has(id));
}

function vectorSignal({ similarity }: Candidate, meaning: Meaning | undefined): number {
  return meaning === undefined || similarity === undefined ? 0 : aboveChance(similarity, meaning.calibration);
}

/** A hybrid search goes on with words alone when the embedder fails, and says so; a semantic one cannot. */
async function meaningOf(
  embedder: Embedder,
  query: string,
  mode: Mode,
  warnings: string[],
): Promise<Meaning | undefined> {
  try {
    const [space, calibration, [vector]] = await Promise.all([
      embedder.space(),
      embedder.calibration(),
      embedder.embed([query]),
    ]);
    return vector && { embedding: { space, vector }, calibration };
  } catch (error) {
    if (mode === 'semantic' || !(error instanceof LaminaError)) throw error;
    warnings.push('The query could not be embedded; only words were searched.');
    return undefined;
  }
}

async function wordsOf(
  entries: Entries,
  principal: Principal,
  { partitions }: Reach,
  query: string,
  changed: PastCandidates | undefined,
): Promise<Bm25 | undefined> {
  const asked = countedTerms(queryTerms(query));
  if (asked.length === 0) return undefined;
  const statistics = await entries.textStatistics(principal, partitions, asked);
  return bm25(asked, changed ? changed.statistics(statistics, asked) : statistics, MAX_TERMS);
}

function countedTerms(terms: readonly string[]): readonly string[] {
  if (terms.length <= MAX_COUNTED_TERMS) return terms;
  return [...terms.slice(0, MAX_COUNTED_TERMS / 2), ...terms.slice(-MAX_COUNTED_TERMS / 2)];
}
