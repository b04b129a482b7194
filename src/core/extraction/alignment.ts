/**
 * Which of the messages that came are turns that the conversation has already. Pure. Agents send what is new, the whole
 * conversation again, or its last part; without names for messages all that tells is what was said in which place.
 */

import type { Role } from '../../domain/kind.ts';

export interface Line {
  readonly role: Role | undefined;
  readonly contentHash: string;
  /** Milliseconds, where it is known. */
  readonly occurredAt?: number | undefined;
}

export interface Turn extends Line {
  /** Its place in the conversation, from 1. */
  readonly turn: number;
}

/** Fewer turns than this that the beginning of a conversation has too are a coincidence: "Hello" is said every day. */
const BEGINNING = 2;

/**
 * For each line the turn whose place it has, undefined for what is new. There may be no turn in that place among those
 * that are given, while there are some after it: it was there, and is gone.
 */
export function align(lines: readonly Line[], turns: readonly Turn[]): (number | undefined)[] {
  const conversation = new Conversation(turns);
  const begun = conversation.beginning(lines);
  const rest = lines.slice(begun);
  const { length, before } = conversation.end(rest, begun);
  return lines.map((_, index) => {
    if (index < begun) return index + 1;
    return index < begun + length ? before + index - begun + 1 : undefined;
  });
}

class Conversation {
  readonly #turns = new Map<number, Turn[]>();
  readonly #last: number;

  constructor(turns: readonly Turn[]) {
    for (const turn of turns) this.#turns.set(turn.turn, [...(this.#turns.get(turn.turn) ?? []), turn]);
    this.#last = Math.max(0, ...this.#turns.keys());
  }

  /** How many of the lines are the conversation from its first turn on. */
  beginning(lines: readonly Line[]): number {
    let [matched, length] = [0, 0];
    for (const [index, line] of lines.entries()) {
      const found = this.#turns.get(index + 1);
      if (found === undefined) continue;
      if (!found.some((turn) => isSame(line, turn))) break;
      matched += 1;
      length = index + 1;
    }
    return matched >= BEGINNING || (matched > 0 && length === this.#last) ? length : 0;
  }

  /** How many of the lines are its last turns, as many as can be, and the number of the turn before them. */
  end(lines: readonly Line[], after: number): { readonly length: number; readonly before: number } {
    for (let length = Math.min(lines.length, this.#last - after); length > 0; length -= 1) {
      const before = this.#last - length;
      const isEnd = lines.slice(0, length).every((line, index) => {
        const found = this.#turns.get(before + index + 1);
        return found === undefined ? index < length - 1 : found.some((turn) => isSame(line, turn));
      });
      if (isEnd) return { length, before };
    }
    return { length: 0, before: this.#last };
  }
}

/** Of two times both have to be known to tell them apart. */
function isSame(line: Line, turn: Turn): boolean {
  if (line.role !== turn.role || line.contentHash !== turn.contentHash) return false;
  return line.occurredAt === undefined || turn.occurredAt === undefined || line.occurredAt === turn.occurredAt;
}
