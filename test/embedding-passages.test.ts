/** Long texts are read in passages that leave nothing out, up to a bound, and cut no word where there are any. */

import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { meaningOf, passagesOf } from '../src/embedding/minilm/passages.ts';

const word = fc.string({ unit: fc.constantFrom('a', 'é', 'ß', '語', '😀'), minLength: 1, maxLength: 12 });
const text = fc
  .array(fc.tuple(word, fc.constantFrom(' ', ' ', ' ', '\n', '. ', '\n\n')), { minLength: 1, maxLength: 900 })
  .map((pieces) => pieces.flat().join(''));

it('has all of a text, in order and in passages of like length', () => {
  fc.assert(
    fc.property(text, (whole) => {
      const passages = passagesOf(whole.slice(0, 7200).toWellFormed());
      expect(passages.join('').trimEnd()).toBe(whole.slice(0, 7200).toWellFormed().trimEnd());
      expect(Math.max(...passages.map(({ length }) => length))).toBeLessThan(1500);
    }),
  );
});

it('ends passages with a line, else with a word, and else anywhere', () => {
  const line = `${'word '.repeat(60).trim()}\n`;
  for (const passage of passagesOf(line.repeat(10))) expect(passage.trim()).toMatch(/^word[^]*word$/);
  for (const passage of passagesOf('longish '.repeat(400))) expect(passage.trim()).toMatch(/^longish.*longish$/);
  expect(passagesOf('x'.repeat(2500)).map(({ length }) => length)).toEqual([833, 834, 833]);
  expect(passagesOf('😀'.repeat(901)).every((passage) => passage.isWellFormed())).toBe(true);
});

it('leaves short texts as they are, and stops after eight passages', () => {
  expect(passagesOf('')).toEqual(['']);
  expect(passagesOf(' a ')).toEqual([' a ']);
  expect(passagesOf('b '.repeat(450))).toEqual(['b '.repeat(450)]);
  expect(passagesOf('c '.repeat(50_000))).toHaveLength(8);
});

it('counts the beginning twice', () => {
  const east = new Float32Array([1, 0]);
  const north = new Float32Array([0, 1]);
  expect(meaningOf([north])).toEqual(north);
  const [x = 0, y = 0] = meaningOf([east, north]);
  expect(x / y).toBeCloseTo(2, 5);
  expect(Math.hypot(x, y)).toBeCloseTo(1, 5);
});
