/** What people see: widths, tables, colour, times and word differences. */

import { describe, expect, it } from 'vitest';
import { relativeTime } from '../src/cli/terminal/relative-time.ts';
import { fitted, oneLine, ownLines, padded, widthOf } from '../src/cli/terminal/shown-text.ts';
import { paintOn } from '../src/cli/terminal/style.ts';
import { columnsOn, textTable } from '../src/cli/terminal/text-table.ts';
import { wordDifference } from '../src/cli/terminal/word-difference.ts';

describe('text on a terminal', () => {
  it.each([
    ['plain', 5],
    ['日本語', 6],
    ['한국어', 6],
    ['ｱｲｳ', 3],
    ['e\u0301', 1],
    ['👨‍👩‍👧', 2],
    ['🇩🇪', 2],
    ['❤️', 2],
    ['©', 1],
    ['a\u200Bb', 2],
    ['（全角）', 8],
    ['', 0],
  ])('takes for %s so many columns: %i', (text, columns) => {
    expect(widthOf(text)).toBe(columns);
  });

  it.each([
    ['short', 10, 'short'],
    ['exactly', 7, 'exactly'],
    ['too long for it', 8, 'too lon…'],
    ['日本語日本語', 6, '日本…'],
    ['👨‍👩‍👧👨‍👩‍👧👨‍👩‍👧', 5, '👨‍👩‍👧👨‍👩‍👧…'],
    ['abc', 0, ''],
    ['abc', 1, '…'],
  ])('cuts %j to %i columns: %j', (text, width, cut) => {
    expect(fitted(text, width)).toBe(cut);
    expect(widthOf(fitted(text, width))).toBeLessThanOrEqual(width);
  });

  it('is quick with what is long', () => {
    const started = performance.now();
    fitted('日'.repeat(1_000_000), 80);
    expect(performance.now() - started).toBeLessThan(500);
  });

  it('is padded by its columns, and harmless', () => {
    expect(`${padded('日本', 6)}|${padded('7', 3, 'right')}|`).toBe('日本  |  7|');
    expect(oneLine(' a\u001B[2J\nb\u202Ec ')).toBe('a [2J b c');
    expect(ownLines('a\r\nb\u0007\tc\u001B')).toBe('a\nb \tc ');
  });
});

describe('a table', () => {
  const rows = [
    { id: '1', text: 'short' },
    { id: '22', text: '日本語 and much more text than fits' },
  ];
  const columns = [
    { title: 'ID', text: ({ id }: { id: string }) => id, align: 'right' as const },
    { title: 'TEXT', text: ({ text }: { text: string }) => text, gives: true },
  ];

  it('fits the width, and lines up', () => {
    const lines = textTable(rows, columns, 24);
    expect(lines).toEqual(['ID  TEXT', ' 1  short', '22  日本語 and much mor…']);
    expect(lines.every((line) => widthOf(line) <= 24)).toBe(true);
    expect(textTable(rows, columns, 200)[2]).toContain('than fits');
  });

  it('leaves out what is optional where there is no room', () => {
    const more = [...columns, { title: 'MORE', text: () => 'more or less', optional: true }];
    expect(textTable(rows, more, 24)).toEqual(textTable(rows, columns, 24));
    expect(textTable(rows, more, 80)[0]).toContain('MORE');
  });

  it('is painted where that is wanted, without moving anything', () => {
    const paint = (_: unknown, text: string): string => `<${text}>`;
    expect(textTable([{ id: '1', text: 'x' }], columns, 80, paint)[0]).toBe('<ID>  <TEXT>');
  });

  it('takes the width of the terminal, else COLUMNS', () => {
    const write = (): void => {};
    expect(columnsOn({ stdout: { write, columns: 60 }, environment: { COLUMNS: '70' } })).toBe(60);
    expect(columnsOn({ stdout: { write }, environment: { COLUMNS: '70' } })).toBe(70);
    expect(columnsOn({ stdout: { write }, environment: {} })).toBe(120);
    expect(columnsOn({ stdout: { write, columns: 0 }, environment: {} })).toBe(120);
  });
});

describe('colour', () => {
  const isOn = (isTTY: boolean, environment: Record<string, string>): boolean =>
    paintOn({ stdout: { isTTY, write: () => {} }, environment })('red', 'x') !== 'x';

  it.each([
    [true, {}, true],
    [false, {}, false],
    [true, { NO_COLOR: '1' }, false],
    [true, { NO_COLOR: '' }, true],
    [true, { TERM: 'dumb' }, false],
    [false, { FORCE_COLOR: '1' }, true],
    [true, { FORCE_COLOR: '0' }, false],
    [false, { FORCE_COLOR: '1', NO_COLOR: '1' }, true],
  ])('on a terminal: %s, with %j: %s', (isTTY, environment, expected) => {
    expect(isOn(isTTY, environment)).toBe(expected);
  });
});

it.each([
  [0, 'just now'],
  [90_000, '1 min ago'],
  [3 * 3_600_000, '3 h ago'],
  [26 * 3_600_000, '1 d ago'],
  [40 * 86_400_000, '2026-10-06'],
  [-30_000, 'in a moment'],
  [-2 * 86_400_000, 'in 2 d'],
])('tells %i ms as %s', (passed, text) => {
  const now = Date.parse('2026-11-15T12:00:00.000Z');
  expect(relativeTime(new Date(now - passed).toISOString(), now)).toBe(text);
});

describe('a word difference', () => {
  const told = (before: string, after: string): string =>
    wordDifference(before, after)
      .map(({ sort, text }) => (sort === 'same' ? text : sort === 'removed' ? `[-${text}-]` : `{+${text}+}`))
      .join('');

  it.each([
    ['a b c', 'a b c', 'a b c'],
    ['a b c', 'a x c', 'a [-b-]{+x+} c'],
    ['I like black coffee now', 'I like green tea now', 'I like [-black coffee-]{+green tea+} now'],
    ['', 'new', '{+new+}'],
    ['gone', '', '[-gone-]'],
    ['one, two', 'one two', 'one[-,-] two'],
    ['日本語', '日本', '[-日本語-]{+日本+}'],
  ])('of %j and %j', (before, after, expected) => {
    expect(told(before, after)).toBe(expected);
  });

  it('keeps both texts whole, and is quick with long ones', () => {
    const [before, after] = ['x y z '.repeat(20_000), 'x q z '.repeat(20_000)];
    const pieces = wordDifference(before, after);
    const text = (left: string): string =>
      pieces
        .filter(({ sort }) => sort !== left)
        .map((each) => each.text)
        .join('');
    expect(text('added')).toBe(before);
    expect(text('removed')).toBe(after);
  });
});
