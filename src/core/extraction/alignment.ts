/**
 * Which of the messages that came are turns that the conversation has already. Pure. Agents send what is new, the whole
 * conversation again, or its last part; without names for messages all that tells is what was said in which place. What
 * may have been said again is new: something stored twice is better than something lost.
 */

import { likenessOf, SURE, type Forgotten, type Line, type Turn } from './turn-likeness.ts';

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
  const end = conversation.end(lines);
  if (end !== undefined) return placed(lines.length, 0, end);
  const begun = conversation.beginning(lines);
  const [answer = NONE] = begun === 0 ? [] : conversation.ends(lines.slice(begun), begun);
  return placed(lines.length, begun, answer);
}

/** How much tells that a line is a turn. */
type Found = number | 'gone';

/** Lines that are turns of a conversation: how many, and the number of the turn before them. */
interface Run {
  readonly length: number;
  readonly before: number;
  readonly found: readonly Found[];
}

const NONE: Run = { length: 0, before: 0, found: [] };

function placed(count: number, begun: number, { length, before }: Run): (number | undefined)[] {
  return Array.from({ length: count }, (_, index) => {
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

  /**
   * The lines that are its last turns, or all of them. Where nothing would be new it is sent again, if that is to be expected;
   * and so are several exchanges, unless all are the same: then the last one may have been said once more.
   */
  end(lines: readonly Line[]): Run | undefined {
    const [longest, shorter] = this.ends(lines, 0);
    if (longest === undefined || longest.length < lines.length || this.#isExpectedAgain(longest)) return longest;
    if (shorter !== undefined && !isHistory(lines.slice(shorter.length))) return shorter;
    return isHistory(lines) ? longest : undefined;
  }

  /** The ways in which lines from the first on are its last turns, after the given one; the longest first. */
  *ends(lines: readonly Line[], after: number): Generator<Run> {
    for (let length = Math.min(lines.length, this.#last - after); length > 0; length -= 1) {
      const before = this.#last - length;
      const found = this.#alike(lines.slice(0, length), before);
      if (found.length === length && evidenceOf(found) > 0) yield { length, before, found };
    }
  }

  /**
   * How many of the lines are the conversation from its first turn on, where these do not reach its end: somebody went back
   * and had something answered anew, or asked something else. An exchange alone may merely be said again.
   */
  beginning(lines: readonly Line[]): number {
    const found = this.#alike(lines, 0);
    const { length } = found;
    const isKnown = found.includes(SURE) || isHistory(lines);
    const isExpectedAgain = this.#isExpectedAgain({ length, before: 0, found });
    const isMore = length < lines.length;
    if (evidenceOf(found) >= BEGINNING && isKnown && (isMore || isExpectedAgain)) return length;
    const isAnsweredAnew = evidenceOf(found) > 0 && this.#isAnsweredAnew(lines, length);
    return isAnsweredAnew && (isKnown || isExpectedAgain) ? length : 0;
  }

  /** What follows is another answer and nobody has asked for more, or it is the one with which the conversation went on. */
  #isAnsweredAnew(lines: readonly Line[], length: number): boolean {
    const [first, next] = [lines[0], lines[length]];
    if (first === undefined || next === undefined) return false;
    if (isHistory(lines) && this.ends(lines.slice(length), length).next().done !== true) return true;
    const isAskedOn = [...this.#turns].some(
      ([place, turns]) => place > 1 && turns.some((turn) => 'role' in turn && turn.role === first.role),
    );
    return next.role !== first.role && !isAskedOn;
  }

  /** What is deleted stays so, whenever it is sent. */
  #isExpectedAgain({ length, before, found }: Run): boolean {
    const places = Array.from({ length }, (_, index) => before + index + 1);
    const turns = places.flatMap((place) => this.#turns.get(place) ?? []);
    return found.includes(SURE) || turns.some((turn) => 'mark' in turn || turn.isExpectedAgain === true);
  }

  /** What tells that the lines are the turns after that one: up to the first that is another, and none that is gone at the end. */
  #alike(lines: readonly Line[], before: number): Found[] {
    const found: Found[] = [];
    for (const [index, line] of lines.entries()) {
      const turns = this.#turns.get(before + index + 1);
      const alike = turns?.map((turn) => likenessOf(line, turn)).filter((evidence) => evidence !== undefined);
      if (alike?.length === 0) break;
      found.push(alike === undefined ? 'gone' : Math.max(...alike));
    }
    return found.slice(0, found.findLastIndex((each) => each !== 'gone') + 1);
  }
}

function evidenceOf(found: readonly Found[]): number {
  return found.reduce<number>((sum, each) => sum + (typeof each === 'number' ? each : 0), 0);
}

/** Whether the user speaks more than once, with something in between: what is said in one turn is one exchange. */
function isHistory(lines: readonly Line[]): boolean {
  return lines.filter(({ role }, at) => role === 'user' && lines[at - 1]?.role !== 'user').length > 1;
}
