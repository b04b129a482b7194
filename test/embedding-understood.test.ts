/** Texts, or parts of them, that the local model does not know. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Engine } from '../src/embedding/minilm/engine.ts';
import { understoodEngine } from '../src/embedding/minilm/understood-engine.ts';
import { WordPiece } from '../src/embedding/word-piece.ts';

const PIECES = ['[PAD]', '[UNK]', '[CLS]', '[SEP]', 'pizza', 'love', '##s', 'é', 'e', '!', '咖', 'ok'];
const words = new WordPiece(Object.fromEntries(PIECES.map((piece, id) => [piece, id])));

/** Notes what it is asked for, and answers each with a vector that points at its place. */
function noting(asked: string[]): Engine {
  return {
    runtime: 'wasm',
    plan: (texts) =>
      texts.map((text, index) => ({
        indexes: [index],
        run: async () => {
          asked.push(text);
          return [new Float32Array(384).fill(text.length)];
        },
      })),
  };
}

async function embed(texts: readonly string[], asked: string[] = []): Promise<Float32Array[]> {
  const vectors: Float32Array[] = [];
  for (const { indexes, run } of understoodEngine(noting(asked), words).plan(texts)) {
    for (const [at, vector] of (await run()).entries()) vectors[indexes[at] ?? -1] = vector;
  }
  return vectors;
}

function cosine(a: Float32Array, b: Float32Array): number {
  return a.reduce((sum, value, index) => sum + value * (b[index] ?? 0), 0);
}

describe('what the local model does not know', () => {
  it.each([
    ['loves 🍕', 'loves'],
    ['咖啡', '咖'],
    ['ok 👍🏽 !', 'ok !'],
  ])('is left out: %s', async (text, known) => {
    const asked: string[] = [];
    await embed([text], asked);
    expect(asked).toEqual([known]);
  });

  it.each(['Loves pizza', 'unheard of, but ASCII', 'é', 'ok 咖', ''])(
    'is not looked for where all is known: %s',
    async (text) => {
      const asked: string[] = [];
      await embed([text], asked);
      expect(asked).toEqual([text]);
    },
  );

  it('resembles itself, and nothing else, where there is nothing more to a text', async () => {
    const texts = ['🍕', '🚗', '👍!', 'ฉันชอบกาแฟ', 'แมวของฉัน', '🍕'];
    const asked: string[] = [];
    const vectors = await embed(texts, asked);
    expect(asked).toEqual([]);
    for (const [a, one] of vectors.entries()) {
      for (const [b, other] of vectors.entries()) {
        if (texts[a] === texts[b]) expect(cosine(one, other)).toBeCloseTo(1, 5);
        else expect(Math.abs(cosine(one, other))).toBeLessThan(0.25);
      }
    }
  });

  it('leaves each vector with its text', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom('pizza', '🍕', 'ok 🚗', 'loves', 'ไม่')), async (texts) => {
        const vectors = await embed(texts);
        expect(vectors).toHaveLength(texts.length);
        for (const [index, text] of texts.entries()) expect(vectors[index]).toEqual((await embed([text]))[0]);
      }),
    );
  });
});
