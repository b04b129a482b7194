/** The bar that shows how far a long command has come. */

import { expect, it } from 'vitest';
import { ProgressBar } from '../src/cli/terminal/progress-bar.ts';

function barOn(output: { isTTY?: boolean; columns?: number }) {
  const written: string[] = [];
  const time = { now: 0 };
  const bar = new ProgressBar({ ...output, write: (text: string) => written.push(text) }, () => time.now);
  return { bar, written, time };
}

it('is drawn anew on a terminal, never wider than it, and leaves nothing behind', () => {
  const { bar, written, time } = barOn({ isTTY: true, columns: 60 });
  bar.show({ done: 0, total: 8, label: 'entries' });
  time.now = 50;
  bar.show({ done: 1, total: 8, label: 'too soon' });
  time.now = 2000;
  bar.show({ done: 2, total: 8, label: 'entries of a tenant with a name that is far too long' });
  bar.show({ done: 8, total: 8, label: 'the end' });
  bar.clear();
  expect(written.map((text) => text.replace('\r\u001B[2K', '<'))).toEqual([
    '<[------------------------]   0%  0 of 8  entries',
    '<[######------------------]  25%  2 of 8, 1/s, 6 s left  ent',
    '<[########################] 100%  8 of 8, 4/s  the end',
    '<',
  ]);
});

it('is a line now and then elsewhere, and one at the end', () => {
  const { bar, written, time } = barOn({});
  for (let done = 0; done <= 10; done += 1) {
    time.now += 1000;
    bar.show({ done, total: 10, label: 'x' });
  }
  bar.show({ done: 10, total: 10, label: 'x' });
  bar.clear();
  expect(written).toEqual([
    '  0%  0 of 10  x\n',
    ' 50%  5 of 10, 0.83/s, 6 s left  x\n',
    '100%  10 of 10, 0.91/s  x\n',
  ]);
});

it('shows nothing to do as done', () => {
  const { bar, written } = barOn({});
  bar.show({ done: 0, total: 0, label: 'x' });
  expect(written).toEqual(['100%  0 of 0  x\n']);
});

it('tells no share where nobody has counted', () => {
  const { bar, written, time } = barOn({ isTTY: true, columns: 60 });
  bar.show({ done: 500, label: 'entries' });
  time.now = 2000;
  bar.show({ done: 900, label: 'entries' });
  expect(written.map((text) => text.replace('\r\u001B[2K', '<'))).toEqual(['<500  entries', '<900, 200/s  entries']);
});
