/** What somebody says, in invented words, and what is asked about it later. */

import type { SeededRandom } from './seeded-random.ts';
import { Vocabulary } from './vocabulary.ts';

export class Sentences {
  readonly #random: SeededRandom;
  readonly #vocabulary: Vocabulary;

  constructor(random: SeededRandom) {
    this.#random = random;
    this.#vocabulary = new Vocabulary(random);
  }

  /** Long enough that none comes twice. */
  next(): string {
    const words = Array.from({ length: this.#random.between(8, 25) }, () => this.#vocabulary.draw(this.#random));
    return `${words.join(' ')}.`;
  }

  /** Some of the words of a sentence, among words of its own. */
  questionOn(sentence: string): string {
    const words = sentence.slice(0, -1).split(' ');
    const asked = Array.from({ length: 6 }, () => this.#random.pick(words));
    return [...asked, this.#vocabulary.draw(this.#random), this.#vocabulary.draw(this.#random)].join(' ');
  }
}
