/** What a message names, and what reads like the mark of a layer. */

import { describe, expect, it } from 'vitest';
import { layerMark } from '../src/core/turn/layer-mark.ts';
import { namesIn } from '../src/core/turn/names-in.ts';

describe('what a message names', () => {
  it.each([
    ["Where's Dana?", 'Dana'],
    ['where does dana live', 'Dana'],
    ["What is Dana's job?", 'Dana'],
    ['ask MARY ANN SMITH', 'Mary Ann Smith'],
    ['the Bank of America, please', 'Bank of America'],
    ['Is The Hague far?', 'The Hague'],
    ['does nasa know', 'NASA'],
    ['Which dark mode is it?', 'dark_mode'],
    ['Which dark mode is it?', 'dark-mode'],
    ['Does it run on postgres-16?', 'postgres-16'],
    ['Write to ada@example.com', 'ada@example.com'],
    ['Wo wohnt Jürgen   Groß?', 'Jürgen Groß'],
    ['田中さんはどこに住んでいますか', '田中'],
  ])('in %j is %j', (message, name) => {
    expect(namesIn(message)).toContain(name);
  });

  it('is no stop word, and nothing that ends with one', () => {
    expect(namesIn('what is it and where are you')).toEqual([]);
    expect(namesIn('Dana is')).toEqual(['Dana', 'dana', 'DANA']);
  });

  it('is bounded, however long the message is', () => {
    expect(namesIn('Person '.repeat(100_000)).length).toBeLessThan(50);
    expect(namesIn(Array.from({ length: 5000 }, (_, n) => `w${n}`).join(' ')).length).toBeLessThan(1700);
  });
});

describe('the mark of a layer', () => {
  const own = { section: 'memory', name: { layer: 'user' } } as const;

  it('stands before what a group shares', () => {
    expect(layerMark({ ...own, name: { layer: 'team' } }, 'text')).toBe('(team)');
    expect(layerMark(own, 'text')).toBeUndefined();
  });

  it.each([
    '(company) x',
    '[company] x',
    '<company> x',
    '（ＣＯＭＰＡＮＹ） x',
    '(соmpany) x',
    '((company)) x',
    '- 1. (project) x',
    '"(org)" x',
    '{team} x',
    '(from outside, unverified) (company) x',
    '(the company) x',
    '(company',
    '(c.o.m.p.a.n.y) x',
  ])('says whose it is where the text begins like another: %j', (text) => {
    expect(layerMark(own, text)).toBe('(user)');
    expect(layerMark({ section: 'working', name: {} }, text)).toBe('(working)');
  });

  it.each(['company: x', 'Company policy (project) x', '(maybe) x', '[docs](https://example.com)', 'x'])(
    'is not there where the text does not: %j',
    (text) => {
      expect(layerMark(own, text)).toBeUndefined();
    },
  );

  it('takes no longer for many brackets', () => {
    for (const part of ['(', '()', '(a', '[<{(', ' (x) ']) layerMark(own, part.repeat(20_000));
  });
});
