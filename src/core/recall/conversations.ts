/** Candidates as turns of conversations: which stand beside each other, and what a whole conversation has to say. */

import type { Candidate } from '../../ports/entry-store.ts';
import { isQuestion } from '../text/questions.ts';

/** How much the words of a turn so many places before or after count. */
const AROUND = [0.5, 0.4, 0.3, 0.2, 0.1].flatMap((weight, index) => [
  { offset: -(index + 1), weight },
  { offset: index + 1, weight },
]);

/** How much those of a question just before: an answer need not repeat what was asked. */
const ASKED = 1;

/** How many turns speak for a conversation. */
const SPOKESMEN = 3;

/** No candidate, and no conversation. */
export const NONE = -1;

/** The words of candidates with those around them, as counts in one list: of each candidate as many as there are terms. */
export interface Heard {
  readonly counts: Float64Array;
  /** 1 where a candidate or those around it have any of the words. */
  readonly isHeard: Uint8Array;
}

/** Candidates go by their index: there may be a thousand of them, and all of this is done for each search. */
export class Conversations {
  readonly #candidates: readonly Candidate[];
  readonly #isComplete: boolean;
  /** Of each conversation its turns, in the order in which they were said. */
  readonly #conversations: readonly (readonly number[])[];
  /** Of each candidate its conversation and its place there. */
  readonly #conversationOf: Int32Array;
  readonly #placeOf: Int32Array;
  /** Of each candidate the turn just before it, and the one just after. */
  readonly #before: Int32Array;
  readonly #after: Int32Array;
  /** 1 where a candidate ends with a question. */
  readonly #asks: Uint8Array;

  /** Where not all of a reach are candidates, only numbers tell which turns stand beside each other. */
  constructor(candidates: readonly Candidate[], isComplete: boolean) {
    this.#candidates = candidates;
    this.#isComplete = isComplete;
    this.#conversations = conversationsOf(candidates);
    this.#conversationOf = new Int32Array(candidates.length).fill(NONE);
    this.#placeOf = new Int32Array(candidates.length);
    this.#before = new Int32Array(candidates.length).fill(NONE);
    this.#after = new Int32Array(candidates.length).fill(NONE);
    this.#asks = new Uint8Array(candidates.length);
    this.#conversations.forEach((turns, number) => {
      turns.forEach((index, place) => {
        this.#conversationOf[index] = number;
        this.#placeOf[index] = place;
      });
      for (const index of turns) {
        this.#before[index] = this.beside(index, -1);
        this.#after[index] = this.beside(index, 1);
      }
    });
    candidates.forEach(({ said }, index) => {
      if (said !== undefined && isQuestion(said.ending)) this.#asks[index] = 1;
    });
  }

  /** The index of the turn just before it; {@link NONE} where there is none, or it is no candidate. */
  before(index: number): number {
    return this.#before[index] ?? NONE;
  }

  /** Of the one just after it. */
  after(index: number): number {
    return this.#after[index] ?? NONE;
  }

  /** Of the one so many places after it, or before. */
  beside(index: number, offset: number): number {
    const turns = this.#conversations[Number(this.#conversationOf[index])];
    if (turns === undefined) return NONE;
    const place = Number(this.#placeOf[index]);
    if (this.#isComplete) return turns[place + offset] ?? NONE;
    const turn = this.#candidates[index]?.said?.turn;
    if (turn === undefined) return NONE;
    const step = Math.sign(offset);
    for (let at = place + step; Math.abs(at - place) <= Math.abs(offset); at += step) {
      const other = turns[at] ?? NONE;
      if (this.#candidates[other]?.said?.turn === turn + offset) return other;
    }
    return NONE;
  }

  /** Whether any turn beside it is a candidate. */
  isAmongOthers(index: number): boolean {
    return this.before(index) !== NONE || this.after(index) !== NONE;
  }

  /** The words of the turns, with those around them at falling weights. Most have none: those that have some tell them around. */
  heard(terms: number): Heard {
    const counts = new Float64Array(this.#candidates.length * terms);
    const isHeard = new Uint8Array(this.#candidates.length);
    const tell = ({ frequencies }: Candidate, to: number, weight: number): void => {
      isHeard[to] = 1;
      for (let term = 0, at = to * terms; term < terms; term += 1, at += 1) {
        counts[at] = Number(counts[at]) + weight * Number(frequencies[term]);
      }
    };
    this.#candidates.forEach((turn, index) => {
      if (!turn.frequencies.some(isPositive)) return;
      tell(turn, index, 1);
      if (this.#conversationOf[index] === NONE) return;
      for (const { offset, weight } of AROUND) {
        const listener = this.beside(index, -offset);
        if (listener !== NONE) tell(turn, listener, this.#weightOf(index, offset, weight));
      }
    });
    return { counts, isHeard };
  }

  /** How long a turn is, with those around it at the same weights. */
  heardLength(index: number): number {
    let length = this.#candidates[index]?.length ?? 0;
    if (this.#conversationOf[index] === NONE) return length;
    let total = 1;
    for (const { offset, weight: usual } of AROUND) {
      const other = this.beside(index, offset);
      if (other === NONE) continue;
      const weight = this.#weightOf(other, offset, usual);
      length += weight * (this.#candidates[other]?.length ?? 0);
      total += weight;
    }
    return length / total;
  }

  /** What a turn counts for one that sees it at this offset. */
  #weightOf(index: number, offset: number, usual: number): number {
    return offset === -1 && this.#asks[index] === 1 ? ASKED : usual;
  }

  /** Writes down for each turn of a conversation the mean of the best of that conversation, by what each is worth. */
  stand(worths: Float64Array, standings: Float64Array): void {
    for (const turns of this.#conversations) {
      const standing = meanOfBest(turns.map((index) => Number(worths[index])));
      for (const index of turns) standings[index] = standing;
    }
  }
}

function isPositive(count: number): boolean {
  return count > 0;
}

function conversationsOf(candidates: readonly Candidate[]): number[][] {
  const sessions = new Map<string, number[]>();
  candidates.forEach(({ said }, index) => {
    if (said?.sessionId === undefined) return;
    const session = sessions.get(said.sessionId);
    if (session) session.push(index);
    else sessions.set(said.sessionId, [index]);
  });
  return [...sessions.values()].map((turns) => inOrder(turns, candidates));
}

/** By their numbers where all have one, else by when they were said. */
function inOrder(turns: readonly number[], candidates: readonly Candidate[]): number[] {
  const isNumbered = turns.every((index) => candidates[index]?.said?.turn !== undefined);
  return turns.toSorted((left, right) => {
    const a = candidates[left];
    const b = candidates[right];
    if (a === undefined || b === undefined) return 0;
    const byNumber = isNumbered ? (a.said?.turn ?? 0) - (b.said?.turn ?? 0) : 0;
    return byNumber || a.since - b.since || (a.id < b.id ? -1 : 1);
  });
}

function meanOfBest(values: readonly number[]): number {
  const best = values.toSorted((a, b) => b - a).slice(0, SPOKESMEN);
  return best.reduce((sum, value) => sum + value, 0) / Math.max(1, best.length);
}
