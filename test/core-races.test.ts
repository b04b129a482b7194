/** What happens to a write while its text is being embedded: the store may change meanwhile, and then decides. */

import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { Memory } from '../src/operations/memory.ts';
import { HashEmbedder } from '../src/testing/hash-embedder.ts';
import { ManualClock } from '../src/testing/manual-clock.ts';
import { openLamina, untilTestEnds, type OpenLamina } from './running-lamina.ts';
import { makeFolder, removeFolder } from './sqlite-folder.ts';

/** Holds on to texts that contain the word "slowly" until it is released. */
class HoldingEmbedder extends HashEmbedder {
  readonly #release = Promise.withResolvers<void>();
  readonly #held = Promise.withResolvers<void>();

  override async embed(texts: readonly string[]): Promise<Float32Array[]> {
    const vectors = await super.embed(texts);
    if (texts.some((text) => text.includes('slowly'))) {
      this.#held.resolve();
      await this.#release.promise;
    }
    return vectors;
  }

  /** Resolves when a text is being held. */
  get held(): Promise<void> {
    return this.#held.promise;
  }

  release(): void {
    this.#release.resolve();
  }
}

let opened: OpenLamina;
let embedder: HoldingEmbedder;
let memory: Memory;

beforeEach(async () => {
  embedder = new HoldingEmbedder();
  opened = await openLamina({ embedder });
  memory = opened.lamina.as({ userId: 'u' });
});

afterEach(async () => {
  embedder.release();
  await opened.close();
});

async function contents(): Promise<string[]> {
  return (await memory.list({ layer: 'user' })).memories.map(({ content }) => content).toSorted();
}

describe('while a text is being embedded', () => {
  it('what was unchanged may change, and is then embedded after all', async () => {
    const named = { layer: 'user', externalId: 'n' } as const;
    const { id } = (await memory.add({ ...named, content: 'as it was' })).memory;
    const adding = memory.addMany([
      { ...named, content: 'as it was' },
      { content: 'slowly does it', layer: 'user' },
    ]);
    await embedder.held;
    await memory.update({ id, content: 'changed meanwhile' });
    embedder.release();
    const added = await adding;
    expect(added.map(({ status, embeddingGenerated }) => [status, embeddingGenerated])).toEqual([
      ['updated', true],
      ['created', true],
    ]);
    const { versions } = await memory.versions({ id });
    expect(versions.map((version) => version.memory.content)).toEqual(['as it was', 'changed meanwhile', 'as it was']);
    const { results } = await memory.search({ query: 'as it was', mode: 'semantic' });
    expect(results[0]?.similarity).toBeCloseTo(1, 5);
  });

  it('the same may be added by someone else, and is stored once', async () => {
    const slow = memory.add({ content: 'slowly does it', layer: 'user', tags: ['slow'] });
    await embedder.held;
    const other = memory.add({ content: 'slowly does it', layer: 'user' });
    embedder.release();
    const statuses = [(await slow).status, (await other).status].toSorted();
    expect(statuses[0]).toBe('created');
    expect(await contents()).toEqual(['slowly does it']);
    expect((await slow).memory.id).toBe((await other).memory.id);
  });

  it('what is to be updated may be deleted, and stays so', async () => {
    const { id } = (await memory.add({ content: 'doomed', layer: 'user' })).memory;
    const updating = memory.update({ id, content: 'slowly saved' });
    await embedder.held;
    await memory.delete({ id });
    embedder.release();
    await expect(updating).rejects.toMatchObject({ code: 'MEMORY_NOT_FOUND' });
    expect(await contents()).toEqual([]);
  });

  it('what is to be updated may change in another way, and both changes hold', async () => {
    const { id } = (await memory.add({ content: 'both', layer: 'user', metadata: { a: 1 } })).memory;
    const updating = memory.update({ id, content: 'slowly both' });
    await embedder.held;
    await memory.update({ id, metadata: { b: 2 } });
    embedder.release();
    expect((await updating).memory).toMatchObject({ content: 'slowly both', metadata: { a: 1, b: 2 }, version: 3 });
  });

  it('its version gets the time at which it is written, not that at which it was asked for', async () => {
    const clock = new ManualClock();
    const { lamina } = untilTestEnds(await openLamina({ embedder, clock }));
    const timed = lamina.as({ userId: 'u' });
    const { id } = (await timed.add({ content: 'timed', layer: 'user' })).memory;
    const updating = timed.update({ id, content: 'slowly timed' });
    await embedder.held;
    clock.advance(1000);
    const between = await timed.update({ id, importance: 0.9 });
    clock.advance(1000);
    embedder.release();
    const last = await updating;
    expect(last.memory.version).toBe(3);
    expect(Date.parse(last.memory.updatedAt) - Date.parse(between.memory.updatedAt)).toBe(1000);
  });

  it('all that has to be embedded after all is embedded at once', async () => {
    const named = Array.from({ length: 5 }, (_, n) => ({
      layer: 'user' as const,
      externalId: `n${n}`,
      content: `as it was ${n}`,
    }));
    const folder = await makeFolder();
    onTestFinished(() => removeFolder(folder));
    const before = await openLamina({ folder });
    await before.lamina.as({ userId: 'u' }).addMany(named);
    await before.close();
    // Opened anew, so that nothing is left in the cache.
    const { lamina } = untilTestEnds(await openLamina({ folder, embedder }));
    const other = lamina.as({ userId: 'u' });
    const { memories } = await other.list({ layer: 'user' });
    const adding = other.addMany([...named, { content: 'slowly does it', layer: 'user' }]);
    await embedder.held;
    for (const { id } of memories) await other.update({ id, content: `changed meanwhile ${id}` });
    const { calls, texts } = embedder;
    embedder.release();
    await adding;
    expect([embedder.calls - calls, embedder.texts - texts]).toEqual([1, 5]);
    expect(await other.list({ layer: 'user' })).toMatchObject({ totalCount: 6 });
  });

  it('nothing else has to wait', async () => {
    const adding = memory.add({ content: 'slowly does it', layer: 'user' });
    await embedder.held;
    await memory.add({ content: 'quickly done', layer: 'user' });
    expect(await contents()).toEqual(['quickly done']);
    embedder.release();
    await adding;
    expect(await contents()).toEqual(['quickly done', 'slowly does it']);
  });

  it('closing refuses what has not been written yet', async () => {
    const adding = memory.add({ content: 'slowly does it', layer: 'user' });
    adding.catch(() => {});
    await embedder.held;
    await opened.lamina.close();
    embedder.release();
    await expect(adding).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  });
});
