/** Text analysis by example: what becomes of words on their way into an index and into a query. */

import { describe, expect, it } from 'vitest';
import { formerTerms, lexemesOf, queryTerms } from '../src/core/text/lexemes.ts';

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
    ['!?…', []],
    ['Loves 🍕, 👍🏽 and ❤️', ['love', '🍕', '👍', '❤']],
    ['🇳🇴👩‍💻', ['🇳🇴', '👩', '💻']],
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

describe('one word', () => {
  it.each([
    'live lives lived living',
    'die dies died dying',
    'lie lies lied lying',
    'tie ties tied tying',
    'fly flies flying flew',
    'try tries tried trying',
    'bus buses',
    'allergy allergies allergic',
    'colour color colours colored',
    'favourite favorite',
    'organise organizing organisation organizations',
    'analyse analyzed',
    'grey gray',
    'centre centers',
    '12 12th',
    'September Sept Sep',
    '1st 1',
  ])('%s', (forms) => {
    expect(new Set(forms.split(' ').flatMap(lexemesOf)).size).toBe(1);
  });

  it.each(['a bit / a bite', 'hour / hor', 'exercise / exercize', 'the rise / rize', 'four / for'])(
    'not %s',
    (pair) => {
      const [one = '', other = ''] = pair.split(' / ');
      expect(lexemesOf(one)).not.toEqual(lexemesOf(other));
    },
  );

  it('is asked for as it was indexed before, too', () => {
    expect(formerTerms('Who lives here, and flies to see the colour?')).toEqual(['life', 'fli', 'colour']);
    expect(formerTerms('the 12th of Sept')).toEqual(['12th', 'sept']);
  });
});
