/** What is held in memory of a tenant's state: found by namespace and key, up to a bound. */

import { describe, expect, it } from 'vitest';
import { SqliteStateCache } from '../src/engines/sqlite/sqlite-state-cache.ts';
import type { KeptState } from '../src/engines/sqlite/sqlite-state-statements.ts';

const AT = '2026-11-15T09:30:00.000Z';

function held(json: string): KeptState {
  const times = { createdAt: AT, updatedAt: AT, expiresAt: null, lastAccessedAt: null, keptUntil: null };
  return { json, version: 1, accessCount: 0, ...times };
}

describe('values held in memory', () => {
  it('do not take one namespace and key for another that reads the same put together', () => {
    const cache = new SqliteStateCache();
    cache.set('a', 'bc', held('1'));
    cache.set('ab', 'c', held('2'));
    expect([cache.get('a', 'bc')?.json, cache.get('ab', 'c')?.json, cache.get('abc', '')]).toEqual([
      '1',
      '2',
      undefined,
    ]);
    cache.delete('a', 'bc');
    expect([cache.get('a', 'bc'), cache.get('ab', 'c')?.json]).toEqual([undefined, '2']);
  });

  it('are replaced, counted where they are held, and all let go of', () => {
    const cache = new SqliteStateCache();
    cache.set('n', 'k', held('1'));
    cache.set('n', 'k', held('2'));
    cache.count({ namespace: 'n', key: 'k', accessCount: 3, lastAccessedAt: 5, keptUntil: null });
    cache.count({ namespace: 'n', key: 'other', accessCount: 3, lastAccessedAt: 5, keptUntil: null });
    expect(cache.get('n', 'k')).toMatchObject({ json: '2', accessCount: 3 });
    expect(cache.get('n', 'other')).toBeUndefined();
    cache.clear();
    expect(cache.get('n', 'k')).toBeUndefined();
    cache.set('n', 'k', held('3'));
    expect(cache.get('n', 'k')?.json).toBe('3');
  });

  it('never stay as they were when the new value is larger than all of the room', () => {
    const cache = new SqliteStateCache();
    cache.set('n', 'k', held('1'));
    cache.set('n', 'k', held('x'.repeat(9 * 1024 * 1024)));
    expect(cache.get('n', 'k')).toBeUndefined();
    cache.set('n', 'k', held('2'));
    expect(cache.get('n', 'k')?.json).toBe('2');
  });

  it('make room for others when there are too many', () => {
    const cache = new SqliteStateCache();
    for (let index = 0; index < 20; index += 1) cache.set('n', `key ${index}`, held('x'.repeat(1024 * 1024)));
    const kept = Array.from({ length: 20 }, (_, index) => cache.get('n', `key ${index}`) !== undefined);
    expect(kept.slice(0, 12)).toEqual(Array.from({ length: 12 }, () => false));
    expect(kept.at(-1)).toBe(true);
  });
});
