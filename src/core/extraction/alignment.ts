/**
 * Which of the messages that came are turns that the conversation has already. Pure. Agents send what is new, the whole
 * conversation again, or its last part; without names for messages all that tells is what was said in which place.
 */

import type { Role } from '../../domain/kind.ts';
import { markOf } from './turn-name.ts';

export interface Line {
  readonly role: Role | undefined;
  readonly contentHash: string;
  /** The one that the message brought along. */
  readonly name?: string | undefined;
  /** Milliseconds, where it is known. */
  readonly occurredAt?: number | undefined;
}

export interface Turn extends Line {
  /** Its place in the conversation, from 1. */
  readonly turn: number;
}

/** A turn that was deleted, and what is left of it. */
export interface Forgotten {
  readonly turn: number;
  readonly mark: string;
}

/** How much it tells that a line and a turn are alike. */
const EVIDENCE = {
  name: 2,
  words: 1,
  /** A message with a name, in words of a turn that has none: only what stands around them can tell. */
  wordsOfNameless: 0,
} as const;

/** Less than this that the beginning of a conversation has too is a coincidence: "Hello" is said every day. */
const BEGINNING = 2;

/**
 * For each line the turn whose place it has, undefined for what is new. There may be no turn in that place among those
 * that are given, while there are some after it or it is forgotten: it was there, and is gone.
 */
export function align(
  lines: readonly Line[],
  turns: readonly Turn[],
  forgotten: readonly Forgotten[] = [],
): (number | undefined)[] {
  const conversation = new Conversation([...turns, ...forgotten]);
  const begun = conversation.beginning(lines);
  const rest = lines.slice(begun);
  const { length, before } = conversation.end(rest, begun);
  return lines.map((_, index) => {
    if (index < begun) return index + 1;
    return index < begun + length ? before + index - begun + 1 : undefined;
  });
}

class Conversation {
  readonly #turns = new Map<number, (Turn | Forgotten)[]>();
  readonly #last: number;

  constructor(turns: readonly (Turn | Forgotten)[]) {
    for (const turn of turns) this.#turns.set(turn.turn, [...(this.#turns.get(turn.turn) ?? []), turn]);
    this.#last = Math.max(0, ...this.#turns.keys());
  }

  /** How many of the lines are the conversation from its first turn on. */
  beginning(lines: readonly Line[]): number {
    let [evidence, length] = [0, 0];
    for (const [index, line] of lines.entries()) {
      const found = this.#likeness(line, index + 1);
      if (found === 'empty') continue;
      if (found === undefined) break;
      evidence += found;
      length = index + 1;
    }
    if (evidence >= BEGINNING || (evidence > 0 && length === this.#last)) return length;
    return evidence > 0 && length === 1 && this.#isAnsweredAnew(lines) ? length : 0;
  }

  /** How many of the lines are its last turns, as many as can be, and the number of the turn before them. */
  end(lines: readonly Line[], after: number): { readonly length: number; readonly before: number } {
    for (let length = Math.min(lines.length, this.#last - after); length > 0; length -= 1) {
      const before = this.#last - length;
      const found = lines.slice(0, length).map((line, index) => this.#likeness(line, before + index + 1));
      const evidence = found.reduce<number>((sum, each) => sum + (typeof each === 'number' ? each : 0), 0);
      const isEnd = evidence > 0 && !found.includes(undefined) && found.at(-1) !== 'empty';
      if (isEnd) return { length, before };
    }
    return { length: 0, before: this.#last };
  }

  /** The first is as before, and what follows is its latest answer, or another one while nobody has asked for more. */
  #isAnsweredAnew(lines: readonly Line[]): boolean {
    const [first, second] = lines;
    if (first === undefined || second === undefined) return false;
    if (this.end(lines.slice(1), 1).length > 0) return true;
    const isAskedOn = [...this.#turns].some(
      ([place, turns]) => place > 1 && turns.some((turn) => 'role' in turn && turn.role === first.role),
    );
    return second.role !== first.role && !isAskedOn;
  }

  /** Undefined where another turn has that place. */
  #likeness(line: Line, place: number): number | 'empty' | undefined {
    const found = this.#turns.get(place);
    if (found === undefined) return 'empty';
    const alike = found.map((turn) => likeness(line, turn)).filter((evidence) => evidence !== undefined);
    return alike.length === 0 ? undefined : Math.max(...alike);
  }
}

function likeness(line: Line, turn: Turn | Forgotten): number | undefined {
  const isNamed = line.name !== undefined;
  if ('mark' in turn) {
    if (isNamed && line.name === turn.mark) return EVIDENCE.name;
    if (markOf(line, undefined) !== turn.mark) return undefined;
  } else {
    if (isNamed && turn.name !== undefined) return line.name === turn.name ? EVIDENCE.name : undefined;
    if (!isSame(line, turn)) return undefined;
  }
  return isNamed ? EVIDENCE.wordsOfNameless : EVIDENCE.words;
}

/** Of two times both have to be known to tell them apart. */
function isSame(line: Line, turn: Turn): boolean {
  if (line.role !== turn.role || line.contentHash !== turn.contentHash) return false;
  return line.occurredAt === undefined || turn.occurredAt === undefined || line.occurredAt === turn.occurredAt;
}
