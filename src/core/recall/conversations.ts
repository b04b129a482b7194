/** Candidates as turns of conversations: which stand beside each other, and what a whole conversation has to say. */

import type { Candidate } from '../../ports/entry-store.ts';
import type { Counted } from './bm25.ts';

/** How much the words of a turn so many places before or after count: an answer need not repeat what was asked. */
const AROUND = [
  { offset: -1, weight: 0.6 },
  { offset: 1, weight: 0.5 },
  { offset: -2, weight: 0.3 },
  { offset: 2, weight: 0.3 },
  { offset: -3, weight: 0.15 },
  { offset: 3, weight: 0.15 },
] as const;

/** How many turns speak for a conversation. */
const SPOKESMEN = 3;

/** Turns in the order in which they were said. */
type Conversation = readonly Candidate[];

export class Conversations {
  readonly #places = new Map<Candidate, { readonly conversation: Conversation; readonly index: number }>();
  readonly #conversations: readonly Conversation[];
  readonly #isComplete: boolean;

  /** Where not all of a reach are candidates, only numbers tell which turns stand beside each other. */
  constructor(candidates: readonly Candidate[], isComplete: boolean) {
    this.#isComplete = isComplete;
    const sessions = Map.groupBy(
      candidates.filter(({ said }) => said?.sessionId !== undefined),
      ({ said }) => said?.sessionId,
    );
    this.#conversations = [...sessions.values()].map(conversationOf);
    for (const conversation of this.#conversations) {
      for (const [index, turn] of conversation.entries()) this.#places.set(turn, { conversation, index });
    }
  }

  /** The turn before it; undefined where there is none, or it is no candidate. */
  previous(candidate: Candidate): Candidate | undefined {
    return this.#beside(candidate, -1);
  }

  /** The words of a turn, with those around it at falling weights. */
  heard(candidate: Candidate): Counted {
    if (!this.#places.has(candidate)) return candidate;
    let { length } = candidate;
    let total = 1;
    const frequencies = [...candidate.frequencies];
    for (const { offset, weight } of AROUND) {
      const turn = this.#beside(candidate, offset);
      if (turn === undefined) continue;
      length += weight * turn.length;
      total += weight;
      for (let index = 0; index < frequencies.length; index += 1) {
        frequencies[index] = (frequencies[index] ?? 0) + weight * (turn.frequencies[index] ?? 0);
      }
    }
    return { length: length / total, frequencies };
  }

  /** For each turn of a conversation the mean of the best of that conversation. */
  standing(worth: (candidate: Candidate) => number): (candidate: Candidate) => number | undefined {
    const standings = new Map(this.#conversations.map((each) => [each, meanOfBest(each.map(worth))]));
    return (candidate) => {
      const place = this.#places.get(candidate);
      return place && standings.get(place.conversation);
    };
  }

  #beside(candidate: Candidate, offset: number): Candidate | undefined {
    const place = this.#places.get(candidate);
    if (place === undefined) return undefined;
    const { conversation, index } = place;
    if (this.#isComplete) return conversation[index + offset];
    const { turn } = candidate.said ?? {};
    if (turn === undefined) return undefined;
    const step = Math.sign(offset);
    for (let at = index + step; Math.abs(at - index) <= Math.abs(offset); at += step) {
      if (conversation[at]?.said?.turn === turn + offset) return conversation[at];
    }
    return undefined;
  }
}

/** By their numbers where all have one, else by when they were said. */
function conversationOf(candidates: readonly Candidate[]): Conversation {
  const isNumbered = candidates.every(({ said }) => said?.turn !== undefined);
  const numberOf = ({ said }: Candidate): number => (isNumbered ? (said?.turn ?? 0) : 0);
  return candidates.toSorted((a, b) => numberOf(a) - numberOf(b) || a.since - b.since || (a.id < b.id ? -1 : 1));
}

function meanOfBest(values: readonly number[]): number {
  const best = values.toSorted((a, b) => b - a).slice(0, SPOKESMEN);
  return best.reduce((sum, value) => sum + value, 0) / Math.max(1, best.length);
}
