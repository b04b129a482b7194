/** Waiting that ends before the work does. */

import { expect, it } from 'vitest';
import { inTime } from '../src/domain/in-time.ts';

it('gives what the work gives', async () => {
  expect(await inTime(Promise.resolve(1), 1000)).toBe(1);
});

it('says that what takes longer may still be done', async () => {
  await expect(inTime(new Promise(() => {}), 1)).rejects.toMatchObject({
    code: 'UNAVAILABLE',
    details: { outcome: 'unknown' },
  });
});
