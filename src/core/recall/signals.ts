/** What speaks for each candidate, and what against it. */

import { RECENCY_HALF_LIFE_DAYS, recency } from '../../domain/decay.ts';
import type { Ranking } from '../../domain/ranking.ts';
import type { Candidate } from '../../ports/entry-store.ts';
import { mannerOf, type Manner } from '../text/manner.ts';
import { asksWhen, timesNamed } from '../text/named-times.ts';
import { sortAskedFor } from '../text/questions.ts';
import { countAlone, type Alone } from './alone.ts';
import { addBest } from './best.ts';
import type { Bm25 } from './bm25.ts';
import { Conversations } from './conversations.ts';
import type { Weights } from './score.ts';
import { SignalTable } from './signal-table.ts';
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

/** Of each candidate, by its index. */
export function signalsOf(candidates: readonly Candidate[], query: Query, context: RankingContext): SignalTable {
  const { ranking, weights, isComplete } = context;
  const turns = ranking.neighbours || ranking.sessions ? candidates : [];
  const conversations = new Conversations(turns, isComplete);
  const signals = new SignalTable(candidates.length);
  if (ranking.neighbours) addHeardWords(signals, candidates, conversations, query);
  else addWords(signals, candidates, query);
  addPlain(signals, candidates, query);
  if (ranking.speakers) addSpeakers(signals, candidates, query);
  // By what each means alone: what is beside it counts for its session anyway.
  if (ranking.sessions) addSessions(signals, candidates, conversations, weights);
  if (ranking.neighbours) addMeaningAround(signals, candidates, conversations, query);
  if (ranking.times) addTimes(signals, candidates, query.text);
  if (ranking.manner) addManner(signals, candidates, query.text);
  const isHeard = (index: number): boolean => ranking.neighbours && conversations.isAmongOthers(index);
  const crowding = ranking.best ? addBest(signals, weights, isHeard) : undefined;
  if (crowding !== undefined) countAlone(signals, weights, crowding, aloneOf(candidates, isHeard, query));
  return signals;
}

/** Of turns that are heard with others, and are no mere reactions. */
function aloneOf(
  candidates: readonly Candidate[],
  isHeard: (index: number) => boolean,
  { words, aboveChance }: Query,
): (index: number) => Alone | undefined {
  return (index) => {
    const turn = candidates[index];
    if (turn === undefined || !isHeard(index) || isReply(turn)) return undefined;
    const { length, frequencies, said, similarity } = turn;
    return {
      text: words?.coverage(length, frequencies, 0, said?.speaker !== undefined) ?? 0,
      vector: similarity === undefined ? 0 : aboveChance(similarity),
    };
  };
}

function addWords({ text }: SignalTable, candidates: readonly Candidate[], { words }: Query): void {
  candidates.forEach(({ length, frequencies, said }, index) => {
    text[index] = words?.coverage(length, frequencies, 0, said?.speaker !== undefined) ?? 0;
  });
}

/** "Nice!" and "ok thanks" answer nothing, whatever is said around them: fewer words than these, of which none was asked for. */
const LEAST_WORDS = 3;

function isReply({ said, length, frequencies }: Candidate): boolean {
  return said !== undefined && length < LEAST_WORDS && frequencies.every((count) => count === 0);
}

/** Of turns with the words of those around them. */
function addHeardWords(
  { text }: SignalTable,
  candidates: readonly Candidate[],
  conversations: Conversations,
  { words }: Query,
): void {
  text.fill(0);
  if (words === undefined) return;
  const terms = words.terms.length;
  const { counts, isHeard } = conversations.heard(terms);
  candidates.forEach((turn, index) => {
    if (isHeard[index] === 0 || isReply(turn)) return;
    const length = conversations.heardLength(index);
    text[index] = words.coverage(length, counts, index * terms, turn.said?.speaker !== undefined);
  });
}

/** What is known of every entry. */
function addPlain(signals: SignalTable, candidates: readonly Candidate[], { aboveChance, now }: Query): void {
  const { vector } = signals;
  const [recencies, importances, confidences] = [
    signals.add('recency'),
    signals.add('importance'),
    signals.add('confidence'),
  ];
  candidates.forEach(({ similarity, since, importance, confidence }, index) => {
    vector[index] = similarity === undefined ? 0 : aboveChance(similarity);
    recencies[index] = recency(now - since, RECENCY_HALF_LIFE_DAYS);
    importances[index] = importance;
    confidences[index] = confidence;
  });
}

function addSpeakers(signals: SignalTable, candidates: readonly Candidate[], { text, names }: Query): void {
  if (names.size === 0) return;
  const named = namedSpeakers(candidates, text, names);
  const speakers = signals.add('speaker');
  candidates.forEach(({ said }, index) => {
    if (said?.speaker !== undefined) speakers[index] = named(said.speaker);
  });
}

/** How much the best turns of each conversation have to say. */
function addSessions(
  signals: SignalTable,
  candidates: readonly Candidate[],
  conversations: Conversations,
  weights: Weights,
): void {
  const sessions = signals.add('session');
  conversations.stand(signals.pulls(weights), sessions);
  candidates.forEach((turn, index) => {
    if (isReply(turn)) sessions[index] = Number.NaN;
  });
}

/** The meaning of a turn is half its own, half what it has together with those beside it, as if their vectors were added up. */
function addMeaningAround(
  { vector }: SignalTable,
  candidates: readonly Candidate[],
  conversations: Conversations,
  { kinship, aboveChance }: Query,
): void {
  candidates.forEach((turn, index) => {
    const { similarity, said } = turn;
    if (similarity === undefined || said === undefined || isReply(turn)) return;
    const before = candidates[conversations.before(index)]?.similarity;
    const after = candidates[conversations.after(index)]?.similarity;
    const count = 1 + Number(before !== undefined) + Number(after !== undefined);
    const sum = similarity + (before ?? 0) + (after ?? 0);
    const together = sum / Math.sqrt(count + count * (count - 1) * kinship);
    vector[index] = (Number(vector[index]) + aboveChance(together)) / 2;
  });
}

function addTimes(signals: SignalTable, candidates: readonly Candidate[], question: string): void {
  const isThen = timesNamed(question);
  const times = isThen && signals.add('time');
  const whens = asksWhen(question) ? signals.add('when') : undefined;
  candidates.forEach((turn, index) => {
    if (turn.said === undefined) return;
    if (times) times[index] = Number(isThen(turn.since));
    if (whens) whens[index] = Number(mannerOf(turn.contentHash, turn.said.ending).saysWhen);
  });
}

function addManner(signals: SignalTable, candidates: readonly Candidate[], question: string): void {
  const sort = sortAskedFor(question);
  const [asking, substances] = [signals.add('asks'), signals.add('substance')];
  const fitting = sort && signals.add('fits');
  candidates.forEach((turn, index) => {
    if (turn.said === undefined) return;
    const manner = mannerOf(turn.contentHash, turn.said.ending);
    asking[index] = Number(manner.asks);
    substances[index] = substanceOf(manner, turn.length);
    if (fitting) fitting[index] = sort === 'name' ? manner.names : Number(manner.isNumbered);
  });
}

/** What makes a turn worth something: the shares of names, of news, of being more than a reaction, and of words. */
const SUBSTANCE = { names: 0.4, when: 0.15, more: 0.15, words: 0.3 } as const;

function substanceOf({ names, isNews, isReaction }: Manner, words: number): number {
  return (
    SUBSTANCE.names * names +
    SUBSTANCE.when * Number(isNews) +
    SUBSTANCE.more * Number(!isReaction) +
    SUBSTANCE.words * Math.min(1, Math.log1p(words) / Math.log1p(AMPLE_WORDS))
  );
}

/** How much of the ends of episodes has to be known: most of what is said, or only whether it ends with a question. */
export function endingsFor(question: string, { times, manner }: Ranking): number {
  return manner || (times && asksWhen(question)) ? SPOKEN_CHARACTERS : LAST_CHARACTERS;
}
