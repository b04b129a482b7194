/** Text analysis by example: what becomes of words on their way into an index and into a query. */

import { describe, expect, it } from 'vitest';
import { lexemesOf, queryTerms } from '../src/core/text/lexemes.ts';

describe('lexemes', () => {
  it.each([
    ['Running runners ran', ['run', 'runner', 'run']],
    ['The deploy key is kept in the vault', ['deploi', 'kei', 'keep', 'vault']],
    ["don't you've it's", []],
    ['user_id=42; v1.2.3', ['user', 'id', '42', 'v1', '2', '3']],
    ['café CAFÉ cafe\u0301', ['cafe', 'cafe', 'cafe']],
    ['ﬁne ½ Ⅳ ①', ['fine', '1', '2', 'iv', '1']],
    ['Straße İstanbul', ['strass', 'istanbul']],
    ['дома и люди', ['дома', 'и', 'люди']],
    ['"NEAR(a b)" OR *', ['near', 'b']],
    ['!?… 👍', []],
    ['', []],
  ])('of %j', (text, expected) => {
    expect(lexemesOf(text)).toEqual(expected);
  });

  it('divide scripts that do not divide words', () => {
    expect(lexemesOf('東京の会議')).toEqual(expect.arrayContaining(['東京', '会議']));
    expect(lexemesOf('สวัสดีครับ').length).toBeGreaterThan(1);
  });

  it('are cut after forty characters, never within one', () => {
    expect(lexemesOf('9'.repeat(100))).toEqual(['9'.repeat(40)]);
    expect(lexemesOf(`x${'𐐩'.repeat(60)}`)).toEqual([`x${'𐐩'.repeat(39)}`]);
  });
});

describe('query terms', () => {
  it('are distinct, in the order of the question', () => {
    expect(queryTerms('tea or coffee, coffee or tea?')).toEqual(['tea', 'coffe']);
  });

  it('of nothing but stop words are those words', () => {
    expect(queryTerms('to be or not to be')).toEqual(['to', 'be', 'or', 'not']);
    expect(queryTerms('who are you, really?')).toEqual(['realli']);
    expect(queryTerms('?!')).toEqual([]);
  });
});
