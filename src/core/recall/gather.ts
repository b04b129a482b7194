/** Gathering candidates: whatever the words or the meaning of a query bring up, with what the ranking needs. */

import { LaminaError } from '../../domain/error.ts';
import { inTime } from '../../domain/in-time.ts';
import { DEFAULT_RANKING, type Ranking } from '../../domain/ranking.ts';
import type { Principal } from '../../domain/principal.ts';
import { PERSONAL_LAYERS } from '../../domain/scope.ts';
import type { Calibration, Embedder, EmbeddingSpace } from '../../ports/embedder.ts';
import type { Candidate, Embedding, Foreseen, Reach, Recollection } from '../../ports/entry-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { activeModel } from '../spaces/models-in-use.ts';
import { formerTerms, queryTerms, speakerLexeme } from '../text/lexemes.ts';
import { askedByOneself } from '../text/own-person.ts';
import { PastCandidates, type PastCandidate } from './as-of-candidates.ts';
import type { PastReach } from './as-of-changes.ts';
import { bm25, type Bm25 } from './bm25.ts';
import { candidatesOf } from './candidates.ts';
import { foundOf, type Found } from './found.ts';
import { aboveChance, kinshipOf, likelyBy, WEIGHTS } from './score.ts';
import { endingsFor, signalsOf } from './signals.ts';
import { midwayBetween } from './similarity.ts';
import { asIfSpoken, namesToLookUp, termsOfNames } from './speakers.ts';

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

/** Of conversations more, because turns speak for those beside them: of 2,760 turns that finds 3 in 100 more. */
const MIN_TURNS = 200;

/**
 * A reach this small is gathered whole where there are conversations in it: a turn without a word of the question stands
 * beside the turn that it answers.
 */
const SMALL_REACH = 1024;

interface Meaning {
  readonly embedding: Embedding;
  readonly calibration: Calibration;
}

/** What a query looks for before anything is counted: its lexemes, those that it had in earlier versions, and those that may be names. */
interface Sought {
  readonly terms: readonly string[];
  readonly former: readonly string[];
  readonly possible: readonly string[];
}

/** What is looked for in words. */
interface Asked {
  /** Undefined where words are not looked at, or there are none. */
  readonly words: Bm25 | undefined;
  /** Those lexemes of the query that are names of people who have said something in the reach. */
  readonly names: ReadonlySet<string>;
  /** Whether all of the reach is gathered; see {@link SMALL_REACH}. */
  readonly isWhole: boolean;
  /** How many candidates there should be at least. */
  readonly count: number;
}

/** Without a meaning where words alone are searched. */
interface Understood {
  readonly meaning: Meaning | undefined;
  readonly warning: string | undefined;
}

export interface Gathered {
  readonly found: Found[];
  /** The space in which vectors were compared; undefined when only words were. */
  readonly space: EmbeddingSpace | undefined;
  readonly warnings: string[];
}

/**
 * Statistics and candidates are those of `recollection`. `moment` is the reach of an earlier one: then what was changed since is
 * gathered too, as it stood.
 */
export async function gather(
  { entries, indexer, embedder, clock, ranking = DEFAULT_RANKING }: Dependencies,
  recollection: Recollection,
  principal: Principal,
  reach: Reach,
  query: string,
  mode: Mode,
  limit: number,
  moment?: PastReach,
): Promise<Gathered> {
  const warnings: string[] = [];
  // Where there is none to be had, whoever asks it is told.
  const model = await activeModel(embedder).catch(() => embedder);
  const changed = moment && (await PastCandidates.read({ entries, embedder: model, clock }, principal, moment));
  const meant = (names: ReadonlySet<string>): Promise<Understood> =>
    understood(model, wordingsOf(asIfSpoken(query, names), reach), mode);
  const sought = soughtOf(query, mode, ranking);
  const endings = endingsFor(query, ranking);
  // Names are rare in questions, so that hardly one is embedded in vain.
  const usual = isForeseeable(recollection, principal, reach, sought, indexer) ? await meant(new Set()) : undefined;
  if (usual) recollection.foresee?.(foreseenOf(sought, usual.meaning, mode, endings, limit));
  const { words, names, count: least, isWhole } = await askedOf(recollection, principal, reach, query, sought, changed);
  const { meaning, warning } = usual && names.size === 0 ? usual : await meant(names);
  if (warning !== undefined) warnings.push(warning);
  const probe = { terms: words?.terms ?? [], embedding: meaning?.embedding, endings };
  const isBlank = probe.terms.length === 0 && probe.embedding === undefined;
  if (isBlank) return { found: [], space: undefined, warnings };
  const count = Math.max(least, limit * CANDIDATES_PER_RESULT);
  const candidates = await candidatesOf({ entries: recollection, indexer }, principal, reach, probe, count, warnings);
  const wanted = { words, vector: meaning?.embedding.vector, isHybrid: mode === 'hybrid' };
  const earlier = changed ? await changed.find(wanted, warnings) : [];
  const all = [...without(candidates, earlier), ...earlier.map(({ candidate }) => candidate)];
  const weights = WEIGHTS[meaning ? mode : 'keyword'];
  const signals = signalsOf(
    all,
    {
      text: query,
      words,
      aboveChance: (similarity) => (meaning ? aboveChance(similarity, meaning.calibration) : 0),
      kinship: meaning ? kinshipOf(meaning.calibration) : 0,
      names,
      now: moment?.at ?? clock.now(),
    },
    { ranking, weights, isComplete: isWhole && meaning !== undefined },
  );
  return { found: foundOf(all, earlier, signals, weights), space: meaning?.embedding.space, warnings };
}

/** What is changed at this very moment may have been found both ways. */
function without(candidates: readonly Candidate[], earlier: readonly PastCandidate[]): readonly Candidate[] {
  if (earlier.length === 0) return candidates;
  const ids = new Set(earlier.map(({ candidate }) => candidate.id));
  return candidates.filter(({ id }) => !ids.has(id));
}

/** The question as it stands, and where it is about the person whose memory is searched, as that person would ask it. */
function wordingsOf(question: string, { partitions }: Reach): string[] {
  const [person, another] = new Set(
    partitions.flatMap(({ scope }) => (PERSONAL_LAYERS.has(scope.layer) ? (scope.identifiers.userId ?? []) : [])),
  );
  if (person === undefined || another !== undefined) return [question];
  return [...new Set([question, askedByOneself(question, person)])];
}

/** Somebody waits for a search; a turn, which gives each of its parts eight seconds, needs some for the words. */
const PATIENCE_MS = 6000;

/** A hybrid search goes on with words alone when the embedder fails or is late, and says so; a semantic one cannot. */
async function understood(embedder: Embedder, wordings: readonly string[], mode: Mode): Promise<Understood> {
  if (mode === 'keyword') return { meaning: undefined, warning: undefined };
  try {
    const asked = Promise.all([embedder.space(), embedder.calibration(wordings[0]), embedder.embed(wordings)]);
    const [space, calibration, vectors] = mode === 'semantic' ? await asked : await inTime(asked, PATIENCE_MS);
    return { meaning: { embedding: { space, vector: midwayBetween(vectors) }, calibration }, warning: undefined };
  } catch (error) {
    if (mode === 'semantic' || !(error instanceof LaminaError)) throw error;
    return { meaning: undefined, warning: 'The query could not be embedded; only words were searched.' };
  }
}

/** Only where all of the words are looked for, each of them once. */
function isForeseeable(
  recollection: Recollection,
  principal: Principal,
  reach: Reach,
  { terms, former }: Sought,
  indexer: Dependencies['indexer'],
): boolean {
  const words = [...terms, ...former];
  if (indexer !== undefined || words.length > MAX_TERMS || new Set(words).size < words.length) return false;
  return recollection.foresees?.(principal, reach) ?? false;
}

/** What is asked for where none of the words is a name, and there are no episodes. */
function foreseenOf(
  { terms, former, possible }: Sought,
  meaning: Meaning | undefined,
  mode: Mode,
  endings: number,
  limit: number,
): Foreseen {
  return {
    asked: terms,
    former,
    names: possible.map(speakerLexeme),
    probe: { embedding: meaning?.embedding, endings },
    limit: Math.max(MIN_CANDIDATES, limit * CANDIDATES_PER_RESULT),
    likely: likelyBy(WEIGHTS[meaning ? mode : 'keyword'], meaning?.calibration, limit),
  };
}

function soughtOf(query: string, mode: Mode, ranking: Ranking): Sought {
  const terms = mode === 'semantic' ? [] : countedTerms(queryTerms(query));
  const former = terms.length === 0 ? [] : countedTerms(formerTerms(query));
  return { terms, former, possible: ranking.speakers ? namesToLookUp(query) : [] };
}

/** Everything is counted in one call: how common each word is, and whose names are among them. */
async function askedOf(
  entries: Recollection,
  principal: Principal,
  { partitions }: Reach,
  query: string,
  { terms, former, possible }: Sought,
  changed: PastCandidates | undefined,
): Promise<Asked> {
  const lexemes = [...terms, ...former, ...possible.map(speakerLexeme)];
  const present = await entries.textStatistics(principal, partitions, lexemes);
  const statistics = changed ? changed.statistics(present, lexemes) : present;
  const { documents, episodes, documentFrequencies } = statistics;
  const isThere = (lexeme: string): boolean => (documentFrequencies[lexemes.indexOf(lexeme)] ?? 0) > 0;
  const asked = [...terms, ...former.filter(isThere)];
  const known = possible.filter((name) => isThere(speakerLexeme(name)));
  // Who asks for nothing but a name is asking for the name.
  const isNameAlone = possible.length === known.length;
  const names = new Set(isNameAlone ? [] : known);
  const frequencies = asked.map((lexeme) => documentFrequencies[lexemes.indexOf(lexeme)] ?? 0);
  const counted = { ...statistics, documentFrequencies: frequencies };
  const words = asked.length === 0 ? undefined : bm25(asked, counted, MAX_TERMS, termsOfNames(query, names));
  const isWhole = episodes > 0 && documents <= SMALL_REACH;
  const count = Math.max(MIN_CANDIDATES, isWhole ? documents : Math.min(episodes, MIN_TURNS));
  return { words, names, count, isWhole };
}

function countedTerms(terms: readonly string[]): readonly string[] {
  if (terms.length <= MAX_COUNTED_TERMS) return terms;
  return [...terms.slice(0, MAX_COUNTED_TERMS / 2), ...terms.slice(-MAX_COUNTED_TERMS / 2)];
}
