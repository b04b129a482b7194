/** The embedding cache: never a wrong vector, never a needless computation, nothing left after forgetting. */

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LaminaError } from '../src/domain/error.ts';
import { CachedEmbedder } from '../src/embedding/cached-embedder.ts';
import { HashEmbedder } from '../src/testing/hash-embedder.ts';

/** Answers only when told to. */
class HeldEmbedder extends HashEmbedder {
  #release = Promise.withResolvers<void>();

  override async embed(texts: readonly string[]): Promise<Float32Array[]> {
    const release = this.#release.promise;
    const vectors = await super.embed(texts);
    await release;
    return vectors;
  }

  release(): void {
    this.#release.resolve();
    this.#release = Promise.withResolvers<void>();
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof LaminaError ? error.code : error;
}

const word = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f');
const words = fc.array(word, { maxLength: 8 });

describe('the embedding cache', () => {
  it('returns what the embedder behind it returns, whatever is asked, forgotten or failing', async () => {
    const step = fc.oneof(
      fc.record({ kind: fc.constantFrom('embed', 'forget', 'fail'), texts: words }),
      fc.record({ kind: fc.constant('spoil'), texts: words }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step), fc.integer({ min: 1, max: 6 }), async (steps, maxVectors) => {
        const inner = new HashEmbedder();
        const cached = new CachedEmbedder(inner, { maxVectors });
        for (const { kind, texts } of steps) {
          inner.fail = kind === 'fail';
          if (kind === 'forget') cached.forget(texts);
          const expected = await new HashEmbedder().embed(texts);
          // A failure gives no vectors; it is told from a wrong answer by its code.
          const answer = await cached.embed(texts).catch((error: unknown) => codeOf(error));
          expect(answer).toEqual(answer === 'EMBEDDING_FAILED' && kind === 'fail' ? answer : expected);
          // A caller may do what it likes with its own vectors.
          if (kind === 'spoil' && Array.isArray(answer)) for (const vector of answer) vector.fill(9);
        }
      }),
    );
  });

  it('computes each text once, within a call and between calls that overlap', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(words), async (calls) => {
        const inner = new HashEmbedder();
        const cached = new CachedEmbedder(inner);
        const answers = await Promise.all(calls.map((texts) => cached.embed(texts)));
        await Promise.all(calls.map((texts) => cached.embed(texts)));
        expect(inner.texts).toBe(new Set(calls.flat()).size);
        expect(answers.flat()).toEqual(await new HashEmbedder().embed(calls.flat()));
      }),
    );
  });

  it('keeps no more than it may, and what was used last', async () => {
    const inner = new HashEmbedder();
    const cached = new CachedEmbedder(inner, { maxVectors: 2 });
    for (const text of ['a', 'b', 'a', 'c', 'a']) await cached.embed([text]);
    expect(inner.texts).toBe(3);
    await cached.embed(['b']);
    expect(inner.texts).toBe(4);
  });

  it('does not keep failures', async () => {
    const inner = new HashEmbedder();
    const cached = new CachedEmbedder(inner);
    inner.fail = true;
    const both = await Promise.allSettled([cached.embed(['a']), cached.embed(['b', 'a'])]);
    expect(both.map((outcome) => outcome.status)).toEqual(['rejected', 'rejected']);
    inner.fail = false;
    expect(await cached.embed(['a'])).toEqual(await new HashEmbedder().embed(['a']));
  });

  it('computes again what was forgotten', async () => {
    const inner = new HashEmbedder();
    const cached = new CachedEmbedder(inner);
    await cached.embed(['a', 'b']);
    cached.forget(['a']);
    await cached.embed(['a', 'b']);
    expect(inner.texts).toBe(3);
  });

  it('does not keep a vector that arrives after its text was forgotten', async () => {
    const inner = new HeldEmbedder();
    const cached = new CachedEmbedder(inner);
    const early = cached.embed(['a', 'b']);
    cached.forget(['a']);
    inner.release();
    expect(await early).toEqual(await new HashEmbedder().embed(['a', 'b']));

    const late = cached.embed(['a', 'b']);
    inner.release();
    await late;
    expect(inner.texts).toBe(3);
  });

  it('hands out copies, also to those who waited together', async () => {
    const inner = new HeldEmbedder();
    const cached = new CachedEmbedder(inner);
    const waiting = Promise.all([cached.embed(['a', 'a']), cached.embed(['a'])]);
    inner.release();
    const vectors = (await waiting).flat();
    expect(new Set(vectors.map((vector) => vector.buffer)).size).toBe(3);
  });

  it('gives what nobody else spoils to who waits for more than that', async () => {
    const inner = new HeldEmbedder();
    const cached = new CachedEmbedder(inner);
    const spoilt = cached.embed(['a']);
    inner.release();
    const later = cached.embed(['b', 'a']);
    for (const vector of await spoilt) vector.fill(9);
    inner.release();
    expect(await later).toEqual(await new HashEmbedder().embed(['b', 'a']));
  });
});
