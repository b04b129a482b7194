/** Calibration, and the deterministic embedder that tests elsewhere rely on. */

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { calibrationOf, measureCalibration } from '../src/embedding/calibration.ts';
import { GENERIC_SENTENCES } from '../src/embedding/generic-sentences.ts';
import { unitVector } from '../src/embedding/unit-vector.ts';
import { HashEmbedder } from '../src/testing/hash-embedder.ts';

function cosine(a: Float32Array | undefined, b: Float32Array | undefined): number {
  return [...(a ?? [])].reduce((sum, value, index) => sum + value * (b?.[index] ?? 0), 0);
}

describe('calibration', () => {
  it('has at least sixty sentences, all different, short and long', () => {
    const lengths = GENERIC_SENTENCES.map((sentence) => sentence.length);
    expect(new Set(GENERIC_SENTENCES).size).toBe(GENERIC_SENTENCES.length);
    expect(GENERIC_SENTENCES.length).toBeGreaterThanOrEqual(60);
    expect(Math.min(...lengths)).toBeLessThan(20);
    expect(Math.max(...lengths)).toBeGreaterThan(150);
  });

  it('is the mean and deviation over all pairs', () => {
    const vectors = [Float32Array.of(1, 0), Float32Array.of(0, 1), Float32Array.of(1, 0)];
    // Pairs: 0, 1, 0.
    expect(calibrationOf(vectors).mean).toBeCloseTo(1 / 3);
    expect(calibrationOf(vectors).deviation).toBeCloseTo(Math.sqrt(2) / 3);
  });

  it('refuses a model that tells nothing apart', async () => {
    const measuring = measureCalibration(async (texts) => texts.map(() => Float32Array.of(0.6, 0.8)));
    await expect(measuring).rejects.toMatchObject({ code: 'EMBEDDING_FAILED' });
  });
});

describe('unit vectors', () => {
  it('keep their direction', () => {
    expect([...unitVector([3, 4])]).toEqual([...Float32Array.of(0.6, 0.8)]);
  });

  it.each([[[0, 0]], [[]], [[1, Number.NaN]], [[Number.POSITIVE_INFINITY, 1]], [[1e200, 1e200]]])(
    'refuse %j',
    (values) => {
      expect(() => unitVector(values)).toThrow(expect.objectContaining({ code: 'EMBEDDING_FAILED' }));
    },
  );
});

describe('the hash embedder', () => {
  it('gives every text a vector of unit length, the same one each time', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'grapheme' }), fc.integer({ min: 1, max: 200 }), async (text, dims) => {
        const [first] = await new HashEmbedder({ dims }).embed([text]);
        const [second] = await new HashEmbedder({ dims }).embed([text]);
        expect(first).toEqual(second);
        expect(first).toHaveLength(dims);
        expect(Math.sqrt(cosine(first, first))).toBeCloseTo(1, 5);
      }),
    );
  });

  it('finds texts with common words similar, and others not', async () => {
    const embedder = new HashEmbedder();
    const [one, other, unrelated] = await embedder.embed([
      'The user prefers green tea in the morning',
      'green TEA, preferred by the user!',
      'Rotate signing keys quarterly',
    ]);
    const { mean, deviation } = await embedder.calibration();
    expect(cosine(one, other)).toBeGreaterThan(mean + 2 * deviation);
    expect(cosine(one, unrelated)).toBeLessThan(mean + 2 * deviation);
  });

  it('counts, and fails when told to', async () => {
    const embedder = new HashEmbedder();
    await embedder.calibration();
    await embedder.embed(['a', 'b']);
    embedder.fail = true;
    await expect(embedder.embed(['c'])).rejects.toMatchObject({ code: 'EMBEDDING_FAILED' });
    embedder.fail = false;
    await embedder.embed(['c']);
    expect([embedder.calls, embedder.texts]).toEqual([3, 4]);
  });
});
