/** Words that are found where they stand: the same as those that are cut out and looked up one by one. */

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { KnownWords } from '../src/core/text/known-words.ts';

function cutOut(text: string): string[] {
  return text.toLowerCase().match(/[a-z0-9]+/g) ?? [];
}

/** Few letters make many words that begin alike, and meet in the table. */
const word = fc.string({ unit: fc.constantFrom('a', 'b', 'A', 'Z', '0', '9'), minLength: 1, maxLength: 6 });
const text = fc
  .array(fc.oneof(word, fc.constantFrom(' ', '-', '\n', '@', '[', '`', '{', '/', ':', '\u007F')))
  .map((parts) => parts.join(''));
const texts = fc.array(fc.oneof(text, fc.string({ unit: 'binary-ascii' })));

describe('known words', () => {
  it('are those of the text in lower case, also when there are more than are kept', () => {
    fc.assert(
      fc.property(texts, fc.constantFrom(1, 4, 64), fc.constantFrom(1, 3, 12), (all, most, maxLength) => {
        const words = new KnownWords(most, maxLength, (found) => `<${found}>`);
        for (const each of all) expect(words.meanings(each)).toEqual(cutOut(each).map((found) => `<${found}>`));
      }),
    );
  });

  it('are asked for once, unless they are long; and left out where they mean nothing', () => {
    const asked: string[] = [];
    const words = new KnownWords(64, 5, (found) => {
      asked.push(found);
      return found === 'or' ? '' : found;
    });
    const meanings = words.meanings('Tea or tea, TEA or earlgrey, earlgrey or');
    expect(meanings).toEqual(['tea', 'tea', 'tea', 'earlgrey', 'earlgrey']);
    expect(asked).toEqual(['tea', 'or', 'earlgrey', 'earlgrey']);
  });

  it('are found in texts of any length', () => {
    const words = new KnownWords(64, 12, (found) => found);
    const long = 'Tea or coffee? '.repeat(1000);
    expect(words.meanings(long)).toEqual(cutOut(long));
    expect(words.meanings('tea')).toEqual(['tea']);
  });

  it('leave texts with anything but ASCII to others', () => {
    const words = new KnownWords(64, 12, (found) => found);
    for (const each of ['café', '東京', 'tea ☕', '\u212A', '\u0080', '\uD800', `${'long '.repeat(2000)}é`])
      expect(words.meanings(each)).toBeUndefined();
  });
});
