/** What the checker of histories notices, in histories that were made up. */

import { expect, it } from 'vitest';
import { isLinearizable, problemsOf, type Call } from './history-check.ts';

/** One call after the other, each by the client that is named: `a` reads 1, or changes 1 to 2. */
function inTurn(...turns: readonly Omit<Call, 'key' | 'started' | 'ended'>[]): Call[] {
  return turns.map((turn, index) => ({ key: 'k', started: 2 * index, ended: 2 * index + 1, ...turn }));
}

/** All under way at the same time. */
const atOnce = (calls: readonly Call[]): Call[] => calls.map((call) => ({ ...call, started: 0, ended: 100 }));

it('is content with a good history', () => {
  const history = inTurn(
    { client: 'a', version: 0 },
    { client: 'a', expected: 0, version: 5 },
    { client: 'b', version: 5 },
    { client: 'b', expected: 5, version: 7 },
    { client: 'a', expected: 5 },
    { client: 'a', version: 7 },
  );
  expect(problemsOf(history)).toEqual([]);
});

it('is content with reads of before and after while something is written', () => {
  const write: Call = { client: 'a', key: 'k', started: 0, ended: 10, expected: 0, version: 1 };
  const before: Call = { client: 'b', key: 'k', started: 1, ended: 2, version: 0 };
  const after: Call = { client: 'c', key: 'k', started: 3, ended: 4, version: 1 };
  expect(problemsOf([write, before, after])).toEqual([]);
});

it('notices a lost update', () => {
  const history = inTurn({ client: 'a', expected: 0, version: 1 }, { client: 'b', expected: 0, version: 2 });
  expect(problemsOf(history)).toContain('k: lost update: 2 changed version 0');
  expect(problemsOf(atOnce(history))).toContain('k: lost update: 2 changed version 0');
  expect(isLinearizable(atOnce(history))).toBe(false);
});

it('notices a version that was given twice', () => {
  const history = inTurn({ client: 'a', expected: 0, version: 1 }, { client: 'b', expected: 1, version: 1 });
  expect(problemsOf(history)).toContain('k: version 1 was given twice');
});

it('notices a stale read of one’s own write', () => {
  const history = inTurn({ client: 'a', expected: 0, version: 1 }, { client: 'a', version: 0 });
  expect(problemsOf(history)).toContain('k: a did not see its own write: 0 after 1');
});

it('notices a read that goes back in time', () => {
  const history = inTurn(
    { client: 'a', expected: 0, version: 1 },
    { client: 'b', version: 1 },
    { client: 'b', version: 0 },
  );
  expect(problemsOf(history)).toContain('k: b went back in time: 0 after 1');
});

it('notices that one does not see what another was told before', () => {
  const history = inTurn({ client: 'a', expected: 0, version: 1 }, { client: 'b', version: 0 });
  expect(problemsOf(history)).toEqual(['k: no order of the calls explains the answers']);
  expect(isLinearizable(atOnce(history))).toBe(true);
});

it('notices a version that nobody made, and a conflict with nobody', () => {
  expect(isLinearizable(inTurn({ client: 'a', version: 3 }))).toBe(false);
  expect(isLinearizable(inTurn({ client: 'a', expected: 0 }))).toBe(false);
});

it('keeps keys apart', () => {
  const [one] = inTurn({ client: 'a', expected: 0, version: 1 });
  const [other] = inTurn({ client: 'b', version: 0 });
  expect(one && other && problemsOf([one, { ...other, key: 'other', started: 9, ended: 10 }])).toEqual([]);
});

it('is done with long histories of many clients soon', () => {
  const history: Call[] = [];
  for (let n = 0; n < 600; n += 1) {
    history.push({ client: `c${n % 6}`, key: 'k', started: 10 * n, ended: 10 * n + 50, expected: n, version: n + 1 });
  }
  expect(isLinearizable(history)).toBe(true);
});
