/** What everybody is given and asked: the texts of the benchmark's workload, and questions whose answer is known. */

import { SeededRandom } from '../seeded-random.ts';
import { Workload } from '../workload.ts';

export interface Text {
  readonly userId: string;
  readonly content: string;
}

export interface Question {
  readonly userId: string;
  readonly query: string;
  /** The text that the question was made from. */
  readonly answer: string;
}

/** Six words of the text among two of another: as much overlap as the other benchmark's questions have. */
const ASKED_WORDS = 6;
const FOREIGN_WORDS = 2;

export class PeerWorkload {
  readonly users: readonly string[];
  readonly texts: readonly Text[];
  readonly #random: SeededRandom;

  constructor(seed: number, size: number, textsPerUser: number) {
    const userCount = Math.max(2, Math.round(size / textsPerUser));
    this.users = Array.from({ length: userCount }, (_, index) => userNumber(index));
    // One text at a time in turns, so that nobody's lie side by side on the disk.
    const writes = [...new Workload(seed, userCount).load(size, 1)].flat();
    this.texts = writes.map(({ input }, index) => ({
      userId: userNumber(index % userCount),
      content: input.content,
    }));
    this.#random = new SeededRandom(seed + 1);
  }

  /** About the first `known` texts, which are those that a peer has got to. */
  questions(count: number, known: number): Question[] {
    const texts = this.texts.slice(0, known);
    return Array.from({ length: count }, () => {
      const { userId, content } = this.#random.pick(texts);
      const words = [
        ...this.#words(content, ASKED_WORDS),
        ...this.#words(this.#random.pick(texts).content, FOREIGN_WORDS),
      ];
      return { userId, query: words.join(' '), answer: content };
    });
  }

  #words(content: string, count: number): string[] {
    const words = content.slice(0, -1).split(' ');
    return Array.from({ length: count }, () => this.#random.pick(words));
  }
}

/** Of one width: where a name is the beginning of another, some peers confuse the two, and would search more. */
function userNumber(index: number): string {
  return `user-${String(index).padStart(5, '0')}`;
}
