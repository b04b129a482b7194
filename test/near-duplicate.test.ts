/** Texts that look alike and do not say the same. */

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sameFigures } from '../src/domain/near-duplicate.ts';

const word = fc.stringMatching(/^[a-z]{1,8}$/);
const figure = fc.oneof(fc.nat().map(String), fc.stringMatching(/^[a-z]{1,3}[0-9]{1,4}$/));
const words = fc.array(fc.oneof(word, figure), { maxLength: 12 });

describe('figures of two texts', () => {
  it('are the same whatever stands around them, and in any order', () => {
    fc.assert(
      fc.property(words, fc.array(word), (given, others) => {
        const turned = [...others, ...given.toReversed()].join('  ').toUpperCase();
        expect(sameFigures(given.join(' '), `${turned}!`)).toBe(true);
        expect(sameFigures(turned, given.join(' '))).toBe(true);
      }),
    );
  });

  it('differ by one that is other, missing or there twice', () => {
    fc.assert(
      fc.property(words, figure, fc.nat(12), (given, extra, at) => {
        const more = [...given.slice(0, at), extra, ...given.slice(at)];
        expect(sameFigures(given.join(' '), more.join(' '))).toBe(false);
        expect(sameFigures(more.join(' '), more.join(' ').replace(extra, `${extra}1`))).toBe(false);
      }),
    );
  });

  it.each([
    ['Order 1001', 'Order 1002', false],
    ['It costs 1,000.', 'it costs 1,000', true],
    ['It is -5 outside', 'It is 5 outside', false],
    ['It is \u22125 outside', 'outside it is -5', true],
    ['20% off', '20 off', false],
    ['flight LH402 on 2026-01-02', 'Flight lh402 on 2026-01-03', false],
    ['no figures', 'none here either', true],
  ])('%s / %s: %s', (a, b, same) => {
    expect(sameFigures(a, b)).toBe(same);
  });
});
