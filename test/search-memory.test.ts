/** How much memory searches may take, and that it is kept to. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { searchMemoryBytes } from '../src/compose/search-memory.ts';
import { sharesOf } from '../src/engines/sqlite/sqlite-search-memory.ts';
import { openLamina, untilTestEnds } from './running-lamina.ts';

const MIB = 1024 * 1024;

describe('the memory of searches', () => {
  it('is a part of what there is, within bounds', () => {
    expect(searchMemoryBytes(undefined, 24 * 1024 * MIB)).toBe(768 * MIB);
    expect(searchMemoryBytes(undefined, 256 * 1024 * MIB)).toBe(1024 * MIB);
    expect(searchMemoryBytes(undefined, 2 * 1024 * MIB)).toBe(256 * MIB);
    expect(searchMemoryBytes(undefined, 512 * MIB)).toBe(128 * MIB);
    expect(searchMemoryBytes(undefined)).toBeGreaterThan(0);
  });

  it('is what is asked for', () => {
    expect(searchMemoryBytes(16)).toBe(16 * MIB);
    expect(searchMemoryBytes(4096, MIB)).toBe(4096 * MIB);
  });

  it('is never more than it may be, however it is shared', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 2 ** 40 }), (bytes) => {
        const { codes, vectors, described } = sharesOf(bytes);
        expect(codes + vectors + described).toBeLessThanOrEqual(bytes);
      }),
    );
  });

  it.each([0, 15, 65_537, 20.5, Number.NaN])('is not %s MiB', async (searchMemoryMib) => {
    await expect(openLamina({ searchMemoryMib })).rejects.toMatchObject({
      code: 'CONFIGURATION_ERROR',
      message: expect.stringContaining('searchMemoryMib'),
    });
  });

  it('may be little: everything is found all the same', async () => {
    const { lamina } = untilTestEnds(await openLamina({ searchMemoryMib: 16 }));
    const memory = lamina.as({ userId: 'ada' });
    await memory.addMany(['Likes tea', 'Plays chess'].map((content) => ({ content, layer: 'user' as const })));
    const { results } = await memory.search({ query: 'chess', mode: 'keyword' });
    expect(results.map(({ memory: { content } }) => content)).toEqual(['Plays chess']);
  });
});
