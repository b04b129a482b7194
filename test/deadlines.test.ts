/** One timer for everything that is waited for: each is given up in time, and none that was in time. */

import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { Deadlines } from '../src/server/deadlines.ts';

it('gives up what takes too long, each at its own time, and nothing else', async () => {
  const deadlines = new Deadlines(40);
  const late: { name: string; afterMs: number }[] = [];
  const open = (name: string): ReturnType<Deadlines['open']> => {
    const began = performance.now();
    return deadlines.open(() => void late.push({ name, afterMs: performance.now() - began }));
  };
  open('first');
  deadlines.close(open('in time'));
  await pause(25);
  open('second');
  await expect.poll(() => late.map(({ name }) => name)).toEqual(['first', 'second']);
  for (const { afterMs } of late) expect(afterMs).toBeGreaterThan(39);
});

it('says that nobody knows what became of it', async () => {
  const { promise, reject } = Promise.withResolvers<never>();
  new Deadlines(1).open(reject);
  await expect(promise).rejects.toMatchObject({ code: 'UNAVAILABLE', details: { outcome: 'unknown' } });
});

it('waits for as long as it takes where there is no limit', () => {
  expect(new Deadlines(0).open(() => {})).toBeUndefined();
});
