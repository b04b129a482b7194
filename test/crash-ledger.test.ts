/** What the ledger of the crash tests notices, by made-up crashes. */

import { expect, it } from 'vitest';
import { Ledger, type Stand } from './crash-ledger.ts';

const seen = (stands: Record<string, Stand>): Map<string, Stand> => new Map(Object.entries(stands));
const one = { changes: [{ cell: 'a', value: 'one' }] };
const two = { changes: [{ cell: 'a', value: 'two' }] };
const batch = {
  changes: [
    { cell: 'b', value: 1 },
    { cell: 'c', value: 2 },
  ],
};

function afterOne(): Ledger {
  const ledger = new Ledger();
  ledger.acknowledge(one, [1]);
  return ledger;
}

it('is content with what was acknowledged', () => {
  expect(afterOne().compare(seen({ a: { value: 'one', version: 1 } }))).toEqual([]);
});

it('notices what is lost', () => {
  expect(afterOne().compare(seen({}))).toEqual(['lost: a at version 1']);
});

it('notices an older value, and another version', () => {
  const ledger = afterOne();
  ledger.acknowledge(two, [2]);
  expect(ledger.compare(seen({ a: { value: 'one', version: 1 } }))).toEqual([expect.stringContaining('changed: a')]);
  expect(ledger.compare(seen({ a: { value: 'two', version: 3 } }))).toEqual([expect.stringContaining('changed: a')]);
});

it('notices what nobody wrote, and what was deleted', () => {
  const ledger = afterOne();
  ledger.acknowledge({ changes: [{ cell: 'a', value: null }] }, []);
  expect(ledger.compare(seen({}))).toEqual([]);
  const problem = expect.stringContaining('never written, or deleted: a');
  expect(ledger.compare(seen({ a: { value: 'one', version: 1 } }))).toEqual([problem]);
});

it('lets a doubted write have happened or not, but nothing else', () => {
  const doubting = (): Ledger => {
    const ledger = afterOne();
    ledger.doubt(two);
    expect(ledger.isDoubted('a')).toBe(true);
    return ledger;
  };
  const not = doubting();
  expect(not.compare(seen({ a: { value: 'one', version: 1 } }))).toEqual([]);
  expect(not.figures).toEqual({ acknowledged: 1, unknown: 1, applied: 0, refused: 0 });
  const done = doubting();
  expect(done.compare(seen({ a: { value: 'two', version: 2 } }))).toEqual([]);
  expect(done.figures.applied).toBe(1);
  expect(done.history('a')).toEqual(['one', 'two']);
  // What was found once must stay.
  expect(done.compare(seen({ a: { value: 'one', version: 1 } }))).toHaveLength(1);
  expect(doubting().compare(seen({ a: { value: 'three', version: 2 } }))).toHaveLength(1);
  expect(doubting().compare(seen({ a: { value: 'two', version: 1 } }))).toEqual([
    'not a new version: a went from 1 to 1',
  ]);
});

it('notices half of a batch', () => {
  const ledger = new Ledger();
  ledger.doubt(batch);
  const problems = ledger.compare(seen({ b: { value: 1, version: 1 } }));
  expect(problems[0]).toBe('half done: 1 of b, c');
});

it('notices that a refused write has happened', () => {
  const ledger = afterOne();
  ledger.refuse();
  expect(ledger.compare(seen({ a: { value: 'two', version: 2 } }))).toEqual([expect.stringContaining('changed: a')]);
});
