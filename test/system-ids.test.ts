/** Ids as the machine gives them: each later than the one before, none twice. */

import { expect, it } from 'vitest';
import { systemIds } from '../src/compose/system.ts';

it('ids are UUIDs of version 7 that grow, also many in one millisecond', () => {
  const before = Date.now();
  const ids = Array.from({ length: 20_000 }, () => systemIds.next());
  expect(ids.every((id, index) => index === 0 || id > (ids[index - 1] ?? ''))).toBe(true);
  expect(ids.every((id) => /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(id))).toBe(
    true,
  );
  const [first = ''] = ids;
  expect(Number.parseInt(first.replaceAll('-', '').slice(0, 12), 16)).toBeGreaterThanOrEqual(before);
});

it('ids of two moments do not follow from each other', () => {
  const tails = new Set(Array.from({ length: 1000 }, () => systemIds.next().slice(-12)));
  expect(tails.size).toBe(1000);
});
