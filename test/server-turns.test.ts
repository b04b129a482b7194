/** Requests that arrive together do not keep everything else from running. */

import { setImmediate as arrival } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { Turns } from '../src/server/turns.ts';

/** Longer than a turn may take. */
function block(): void {
  const until = performance.now() + 6;
  while (performance.now() < until);
}

describe('turns', () => {
  it('lets others in between what arrives together, in order, and leaves nobody out', async () => {
    const turns = new Turns();
    const told: string[] = [];
    let isDone = false;
    const tick = (): void => {
      told.push('other');
      if (!isDone) setImmediate(tick);
    };
    setImmediate(tick);
    await Promise.all(
      ['a', 'b', 'c'].map(async (name) => {
        // Each in a callback of its own, as connections are read, and all of them in one turn.
        await arrival();
        await turns.admit();
        block();
        told.push(name);
      }),
    );
    isDone = true;
    expect(told.filter((name) => name !== 'other')).toEqual(['a', 'b', 'c']);
    expect(told.slice(told.indexOf('a'), told.indexOf('b'))).toContain('other');
    expect(told.slice(told.indexOf('b'), told.indexOf('c'))).toContain('other');
  });

  it('makes nobody wait where there is time', () => {
    const turns = new Turns();
    expect([turns.admit(), turns.admit(), turns.admit()]).toEqual([undefined, undefined, undefined]);
  });
});
