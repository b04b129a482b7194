/** Embedding and storing overlap: what is embedded already is stored while more is being embedded. */

import { describe, expect, it } from 'vitest';
import { HashEmbedder } from '../src/testing/hash-embedder.ts';
import { remembering, WilfulEmbedder } from './wilful-embedder.ts';

const batch = (name: string): { content: string; layer: 'user' }[] =>
  Array.from({ length: 20 }, (_, index) => ({ content: `${name} ${index}`, layer: 'user' as const }));

const HASHES = new HashEmbedder();

describe('batches that come one after another', () => {
  it('are stored while the next one is embedded', async () => {
    const embedder = new WilfulEmbedder();
    const { memory } = await remembering(embedder);
    const { promise: isStored, resolve: stored } = Promise.withResolvers<void>();
    const embedded: string[] = [];
    embedder.instead = (texts) => {
      embedded.push(String(texts[0]));
      // Undefined leaves the first one to the embedder; the second is held up until the first is durable.
      return texts[0] === 'second 0' ? isStored.then(() => HASHES.embed(texts)) : undefined;
    };
    const first = memory.addMany(batch('first'));
    const second = memory.addMany(batch('second'));
    expect(await first).toHaveLength(20);
    expect(embedded).toEqual(['first 0', 'second 0']);
    expect(await memory.list({ layer: 'user' })).toMatchObject({ totalCount: 21 });
    stored();
    expect(await second).toHaveLength(20);
  });

  it('are stored by themselves: one whose embedding fails takes no other with it', async () => {
    const embedder = new WilfulEmbedder();
    const { memory } = await remembering(embedder);
    embedder.instead = (texts) => (texts[0] === 'second 0' ? Promise.reject(new Error('no model')) : undefined);
    const [first, second] = await Promise.allSettled([memory.addMany(batch('first')), memory.addMany(batch('second'))]);
    expect(first.status).toBe('fulfilled');
    expect(second).toMatchObject({ status: 'rejected', reason: { code: 'EMBEDDING_FAILED' } });
    expect(await memory.list({ layer: 'user' })).toMatchObject({ totalCount: 21 });
  });
});
