/** Texts that say the same, and texts that only look as if they did. */

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sameWords } from '../src/core/text/same-words.ts';

const MINUTES = `Minutes of the weekly meeting. ${'Present were Ada, Ben and Cem; the list of last week was read aloud. '.repeat(25)}`;

const THE_SAME: readonly (readonly [string, string])[] = [
  ['the heron flew south for the winter', 'THE HERON FLEW SOUTH FOR THE WINTER'],
  ['Indent with two spaces everywhere', 'indent with  TWO spaces,\neverywhere!'],
  ['The editor of the team is Vim', 'Editor of team is Vim.'],
  ['Ada prefers dark editors', 'Ada prefers dark editor'],
  ['They keep the boxes and the libraries', 'They keep the boxes and the library'],
  ['The café opens at 8:00', 'the cafe opens at 8:00'],
  ['A crème brûlée that Ada likes', 'A creme brulee that Ada likes'],
  ['Alice likes tea. Bob likes coffee.', 'Alice likes tea; Bob likes coffee'],
  ['我喜欢绿茶。', '我 喜欢 绿茶'],
  ['Мария работает в Осло', 'мария работает в Осло.'],
  ['Ｆｕｌｌ width', 'full width'],
  [`${MINUTES}Decision: ship on Friday.`, `${MINUTES.toUpperCase()}DECISION: SHIP ON FRIDAY`],
];

const NOT_THE_SAME: readonly (readonly [string, string])[] = [
  ['Alice is not allergic to nuts', 'Alice is allergic to nuts'],
  ["Alice isn't allergic to nuts", 'Alice is allergic to nuts'],
  ['Dana deploys on Tuesdays', 'Dana deploys on Thursdays now, no longer on Tuesdays'],
  ['Backups are disabled', 'Backups are enabled'],
  ['Tom likes his steak rare', 'Tom no longer likes his steak rare'],
  ['John reports to Mary', 'Mary reports to John'],
  ['My sister is called Anna', 'My brother is called Anna'],
  ['The door code is changed on Tuesday', 'The door code was changed on Tuesday'],
  ['The door code was changed on Monday', 'The door code was changed on Tuesday'],
  [`${MINUTES}Decision: ship on Friday.`, `${MINUTES}Decision: do not ship.`],
  ['They work with Ada', 'They worked with Ada'],
  ['They must call Ada', 'They may call Ada'],
  ['She sees all of them', 'She sees some of them'],
  ['The cat sits on the box', 'The cat sits in the box'],
  ['She likes it', 'He likes it'],
  ['The parcel costs 17', 'The parcel costs 18'],
  ['The heating is at -5', 'The heating is at 5'],
  ['The team writes C', 'The team writes C++'],
  ['The answer of Ada: 👍', 'The answer of Ada: 👎'],
  ['The parcel costs $5', 'The parcel costs €5'],
  ['...', '—'],
  ['Ada is allergic.', 'Ada is allergic?'],
  ['The list takes !valid', 'The list takes valid'],
  ['Stop. Not now.', 'Stop not now'],
  // Number, where more hangs on it.
  ['She has a dog and the cat', 'She has dogs and the cat'],
  ['Our brother lives in Oslo', 'Our brothers live in Oslo'],
  ['She works with Robert', 'She works with Roberts'],
  ['Dana deploys this on Thursday', 'Dana deploys this on Thursdays'],
  ['They read the new page', 'They read the news page'],
  // Articles, where more hangs on them.
  ['Few of the guests came', 'A few of the guests came'],
  ['The team follows plan A today', 'The team follows the plan today'],
  ['She takes vitamin a', 'She takes vitamin'],
  // Other languages, of which nothing is known.
  ['Trabajo en Madrid', 'Trabajó en Madrid'],
  ['Er hatte Geld', 'Er hätte Geld'],
  ['Trabaja en Madrid', 'Trabajas en Madrid'],
  ['Il a peur', 'Il peur'],
  ['我喜欢绿茶', '我不喜欢绿茶'],
  ['πότε', 'ποτέ'],
];

describe('two texts', () => {
  it.each(THE_SAME)('say the same: %.60s / %.60s', (a, b) => {
    expect([sameWords(a, b), sameWords(b, a)]).toEqual([true, true]);
  });

  it.each(NOT_THE_SAME)('do not: %.60s / %.60s', (a, b) => {
    expect([sameWords(a, b), sameWords(b, a)]).toEqual([false, false]);
  });
});

const ARTICLES = new Set(['a', 'an', 'the']);

/** As anybody would do it by hand: small letters without accents, words alone, no articles, no plural. */
function foldedWords(text: string): string[] {
  const words =
    text
      .normalize('NFKD')
      .toLowerCase()
      .replaceAll(/\p{M}/gu, '')
      .match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.filter((word) => !ARTICLES.has(word)).map((word) => word.replace(/s$/, ''));
}

const WORDS =
  'the a an not no never is was are Ada ada Ben likes like liked dog dogs café cafe to on in with from few A . , ! ? - 7';
const text = fc
  .array(fc.constantFrom(...WORDS.split(' ')), { minLength: 1, maxLength: 5 })
  .map((words) => words.join(' '));

describe('whatever is taken for the same', () => {
  it('has the same folded words', () => {
    let same = 0;
    fc.assert(
      fc.property(text, text, fc.boolean(), (a, other, isNear) => {
        // Two texts at random hardly ever are the same: often one is the other with a word more or less, or in other letters.
        const b = isNear ? `${a.toUpperCase()} ${other.split(' ')[0]}` : other;
        const isSame = sameWords(a, b);
        expect(sameWords(b, a)).toBe(isSame);
        if (!isSame) return;
        same += 1;
        expect(foldedWords(a)).toEqual(foldedWords(b));
      }),
      { numRuns: 5000 },
    );
    expect(same).toBeGreaterThan(20);
  });

  it('is so in any case and with any white space, and never with a word more', () => {
    const word = fc.stringMatching(/^[a-zäöü]{2,8}$/).filter((each) => !ARTICLES.has(each));
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 12 }), word, fc.nat(12), (words, more, at) => {
        const plain = words.join(' ');
        expect(sameWords(plain, ` ${words.join('\n  ').toUpperCase()}! `)).toBe(true);
        expect(sameWords(plain, [...words.slice(0, at), more, ...words.slice(at)].join(' '))).toBe(false);
      }),
    );
  });
});
