/** Words with the frequencies of natural language: the n-th most frequent is n times rarer than the first (Zipf). */

import type { SeededRandom } from './seeded-random.ts';

const SIZE = 6000;

/** What leads every frequency list of English; text search leaves most of these out. */
const LEADING = 'the to and of a in is that it was for on you he with as this be have at by not are from but she'.split(
  ' ',
);

const ONSETS = 'b br c ch d dr f fl g gr h j k l m n p pl qu r s sh st t tr v w z'.split(' ');
const VOWELS = 'a e i o u ai ea oo'.split(' ');
const CODAS = ['', '', 'n', 'r', 'l', 's', 't', 'm', 'nd', 'rk'];

function inventedWord(random: SeededRandom): string {
  const syllable = (): string => random.pick(ONSETS) + random.pick(VOWELS) + random.pick(CODAS);
  return Array.from({ length: random.between(1, 4) }, syllable).join('');
}

export class Vocabulary {
  readonly #words: readonly string[];
  /** The summed weights up to and including each word. */
  readonly #sums: Float64Array;

  constructor(random: SeededRandom) {
    const words = new Set(LEADING);
    while (words.size < SIZE) words.add(inventedWord(random));
    this.#words = [...words];
    this.#sums = new Float64Array(SIZE);
    for (let rank = 0, sum = 0; rank < SIZE; rank += 1) this.#sums[rank] = sum += 1 / (rank + 1);
  }

  draw(random: SeededRandom): string {
    const wanted = random.next() * Number(this.#sums.at(-1));
    let [low, high] = [0, SIZE - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (Number(this.#sums[middle]) < wanted) low = middle + 1;
      else high = middle;
    }
    return String(this.#words[low]);
  }
}
