/** What speaks for each candidate, and what against it. */

import { RECENCY_HALF_LIFE_DAYS, recency } from '../../domain/decay.ts';
import type { Ranking } from '../../domain/ranking.ts';
import type { Signals } from '../../domain/recall.ts';
import type { Candidate } from '../../ports/entry-store.ts';
import { mannerOf } from '../text/manner.ts';
import { asksWhen, timesNamed } from '../text/named-times.ts';
import { sortAskedFor } from '../text/questions.ts';
import { addBest } from './best.ts';
import type { Bm25, Counted } from './bm25.ts';
import { Conversations } from './conversations.ts';
import { pull, type Weights } from './score.ts';
import { namedSpeakers } from './speakers.ts';

/** Of most turns that is all. */
const SPOKEN_CHARACTERS = 400;

/** Tells a question, also with a quotation mark or a space behind it. */
const LAST_CHARACTERS = 8;

/** So many words are as good as more. */
const AMPLE_WORDS = 24;

export interface Query {
  readonly text: string;
  /** Undefined where words are not looked at. */
  readonly words: Bm25 | undefined;
  /** How far above chance a similarity is. */
  readonly aboveChance: (similarity: number) => number;
  /** How alike two turns are that follow one another. */
  readonly kinship: number;
  /** The lexemes in it that name speakers. */
  readonly names: ReadonlySet<string>;
  /** Milliseconds. */
  readonly now: number;
}

export interface RankingContext {
  readonly ranking: Ranking;
  readonly weights: Weights;
  /** Whether there are no others in the reach. */
  readonly isComplete: boolean;
}

/** Written part by part, and a search has hundreds of them. */
export type Draft = { -readonly [Name in keyof Signals]: Signals[Name] };

/** A part of the ranking: adds what it knows of the candidate with this index. */
type Part = (signals: Draft, candidate: Candidate, index: number) => void;

/** Of each candidate, in their order. */
export function signalsOf(candidates: readonly Candidate[], query: Query, context: RankingContext): Signals[] {
  const { ranking, weights, isComplete } = context;
  const turns = ranking.neighbours || ranking.sessions ? candidates : [];
  const conversations = new Conversations(turns, isComplete);
  const addSpeaker = ranking.speakers ? speakerPart(candidates, query) : undefined;
  const signals = candidates.map((candidate, index) => {
    const counted = ranking.neighbours ? conversations.heard(index) : candidate;
    const own = plainSignals(candidate, query, counted);
    addSpeaker?.(own, candidate, index);
    return own;
  });
  const parts = [
    ...(ranking.sessions ? [sessionPart(signals, conversations, weights)] : []),
    ...(ranking.neighbours ? [meaningPart(conversations, query)] : []),
    ...timeParts(query.text, ranking),
    ...(ranking.manner ? mannerParts(query.text) : []),
  ];
  candidates.forEach((candidate, index) => {
    const own = signals[index];
    if (own && candidate.said !== undefined) for (const add of parts) add(own, candidate, index);
  });
  const isHeard = (index: number): boolean =>
    ranking.neighbours && (conversations.beside(index, -1) ?? conversations.beside(index, 1)) !== undefined;
  if (ranking.best) addBest(signals, weights, isHeard);
  return signals;
}

/** `counted` is undefined where none of the words were found. */
function plainSignals(candidate: Candidate, query: Query, counted: Counted | undefined): Draft {
  const { said, since, importance, confidence } = candidate;
  return {
    text: (counted && query.words?.coverage(counted, said?.speaker !== undefined)) ?? 0,
    vector: vectorOf(candidate, query),
    recency: recency(query.now - since, RECENCY_HALF_LIFE_DAYS),
    importance,
    confidence,
  };
}

function vectorOf({ similarity }: Candidate, { aboveChance }: Query): number {
  return similarity === undefined ? 0 : aboveChance(similarity);
}

const BESIDE = [-1, 1] as const;

/** The meaning of a turn is half its own, half what it has together with those beside it, as if their vectors were added up. */
function meaningPart(conversations: Conversations, { kinship, aboveChance }: Query): Part {
  return (signals, { similarity }, index) => {
    if (similarity === undefined) return;
    let [sum, count] = [similarity, 1];
    for (const offset of BESIDE) {
      const other = conversations.beside(index, offset)?.similarity;
      if (other === undefined) continue;
      sum += other;
      count += 1;
    }
    const together = sum / Math.sqrt(count + count * (count - 1) * kinship);
    signals.vector = (signals.vector + aboveChance(together)) / 2;
  };
}

function speakerPart(candidates: readonly Candidate[], { text, names }: Query): Part | undefined {
  if (names.size === 0) return undefined;
  const named = namedSpeakers(candidates, text, names);
  return (signals, { said }) => {
    if (said?.speaker !== undefined) signals.speaker = named(said.speaker);
  };
}

/** How much the best turns of each conversation have to say. */
function sessionPart(signals: readonly Draft[], conversations: Conversations, weights: Weights): Part {
  const pulls = signals.map((own) => pull(own, weights));
  const standing = conversations.standing((index) => pulls[index] ?? 0);
  return (own, _, index) => {
    const session = standing(index);
    if (session !== undefined) own.session = session;
  };
}

function timeParts(question: string, { times }: Ranking): Part[] {
  if (!times) return [];
  const isThen = timesNamed(question);
  const parts: Part[] = [];
  if (isThen) parts.push((signals, { since }) => (signals.time = Number(isThen(since))));
  if (asksWhen(question)) {
    parts.push((signals, { said, contentHash }) => {
      signals.when = Number(mannerOf(contentHash, said?.ending ?? '').saysWhen);
    });
  }
  return parts;
}

/** What makes a turn worth something: the shares of names, of news, of being more than a reaction, and of words. */
const SUBSTANCE = { names: 0.4, when: 0.15, more: 0.15, words: 0.3 } as const;

function mannerParts(question: string): Part[] {
  const sort = sortAskedFor(question);
  const addManner: Part = (signals, { said, contentHash, length }) => {
    const { names, asks, isNews, isReaction, isNumbered } = mannerOf(contentHash, said?.ending ?? '');
    signals.asks = Number(asks);
    signals.substance =
      SUBSTANCE.names * names +
      SUBSTANCE.when * Number(isNews) +
      SUBSTANCE.more * Number(!isReaction) +
      SUBSTANCE.words * Math.min(1, Math.log1p(length) / Math.log1p(AMPLE_WORDS));
    if (sort !== undefined) signals.fits = sort === 'name' ? names : Number(isNumbered);
  };
  return [addManner];
}

/** How much of the ends of episodes has to be known: most of what is said, or only whether it ends with a question. */
export function endingsFor(question: string, { times, manner }: Ranking): number {
  return manner || (times && asksWhen(question)) ? SPOKEN_CHARACTERS : LAST_CHARACTERS;
}
