/** Candidates as turns of conversations: which stand beside each other, and what a whole conversation has to say. */

import type { Candidate } from '../../ports/entry-store.ts';
import { isQuestion } from '../text/questions.ts';
import type { Counted } from './bm25.ts';

/** How much the words of a turn so many places before or after count. */
const AROUND = [0.5, 0.4, 0.3, 0.2, 0.1].flatMap((weight, index) => [
  { offset: -(index + 1), weight },
  { offset: index + 1, weight },
]);

/** How much those of a question just before: an answer need not repeat what was asked. */
const ASKED = 1;

/** How many turns speak for a conversation. */
const SPOKESMEN = 3;

/** No candidate. */
const NONE = -1;

/** Candidates go by their index: there may be a thousand of them, and all of this is done for each search. */
export class Conversations {
  readonly #candidates: readonly Candidate[];
  readonly #isComplete: boolean;
  /** Of each conversation its turns, in the order in which they were said. */
  readonly #conversations: readonly (readonly number[])[];
  /** Of each candidate its conversation and its place there. */
  readonly #conversationOf: Int32Array;
  readonly #placeOf: Int32Array;
  /** 1 where a candidate ends with a question. */
  readonly #asks: Uint8Array;
  /** Of each candidate how often it and those around it have the words; undefined where none of them has any. */
  readonly #heard: readonly (readonly number[] | undefined)[];

  /** Where not all of a reach are candidates, only numbers tell which turns stand beside each other. */
  constructor(candidates: readonly Candidate[], isComplete: boolean) {
    this.#candidates = candidates;
    this.#isComplete = isComplete;
    this.#conversations = conversationsOf(candidates);
    this.#conversationOf = new Int32Array(candidates.length).fill(NONE);
    this.#placeOf = new Int32Array(candidates.length);
    this.#conversations.forEach((turns, number) => {
      turns.forEach((index, place) => {
        this.#conversationOf[index] = number;
        this.#placeOf[index] = place;
      });
    });
    this.#asks = Uint8Array.from(candidates, ({ said }) => Number(said !== undefined && isQuestion(said.ending)));
    this.#heard = this.#hear();
  }

  /** The turn so many places after it, or before; undefined where there is none, or it is no candidate. */
  beside(index: number, offset: number): Candidate | undefined {
    return this.#candidates[this.#indexBeside(index, offset)];
  }

  /** The words of a turn, with those around it at falling weights; undefined where there are none of those asked for. */
  heard(index: number): Counted | undefined {
    const frequencies = this.#heard[index];
    if (frequencies === undefined) return undefined;
    let length = this.#candidates[index]?.length ?? 0;
    let total = 1;
    for (const { offset, weight: usual } of AROUND) {
      const other = this.#indexBeside(index, offset);
      if (other === NONE) continue;
      const weight = this.#weightOf(other, offset, usual);
      length += weight * (this.#candidates[other]?.length ?? 0);
      total += weight;
    }
    return { length: length / total, frequencies };
  }

  /** Most turns have none of the words: those that have some tell them to those around. */
  #hear(): (number[] | undefined)[] {
    const heard: (number[] | undefined)[] = Array.from(this.#candidates, () => undefined);
    const tell = (from: Candidate, to: number, weight: number): void => {
      const counts = (heard[to] ??= from.frequencies.map(() => 0));
      for (let term = 0; term < counts.length; term += 1) {
        counts[term] = (counts[term] ?? 0) + weight * (from.frequencies[term] ?? 0);
      }
    };
    this.#candidates.forEach((turn, index) => {
      if (!turn.frequencies.some(isPositive)) return;
      tell(turn, index, 1);
      for (const { offset, weight } of AROUND) {
        const listener = this.#indexBeside(index, -offset);
        if (listener !== NONE) tell(turn, listener, this.#weightOf(index, offset, weight));
      }
    });
    return heard;
  }

  /** What a turn counts for one that sees it at this offset. */
  #weightOf(index: number, offset: number, usual: number): number {
    return offset === -1 && this.#asks[index] === 1 ? ASKED : usual;
  }

  /** For each turn of a conversation the mean of the best of that conversation. */
  standing(worth: (index: number) => number): (index: number) => number | undefined {
    const standings = this.#conversations.map((turns) => meanOfBest(turns.map(worth)));
    return (index) => standings[this.#conversationOf[index] ?? NONE];
  }

  #indexBeside(index: number, offset: number): number {
    const turns = this.#conversations[this.#conversationOf[index] ?? NONE];
    if (turns === undefined) return NONE;
    const place = this.#placeOf[index] ?? 0;
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
