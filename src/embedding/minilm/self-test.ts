/** Checks a runtime on texts whose vectors are known, before anybody relies on it. */

import { LaminaError } from '../../domain/error.ts';
import { unitVector } from '../unit-vector.ts';
import type { Precision } from './convert-model.ts';
import type { Engine } from './engine.ts';
import { REFERENCE_VECTORS } from './reference-vectors.ts';

/** Cosine that every text has to reach. Right ones reach 0.99 in int8, and 0.9999 in fp32. */
const LEAST_SIMILARITY: Readonly<Record<Precision, number>> = { int8: 0.98, fp32: 0.999 };

function similarityTo(reference: string, vector: Float32Array): number {
  const known = unitVector(new Int8Array(Buffer.from(reference, 'base64')));
  return known.reduce((sum, value, at) => sum + value * (vector[at] ?? 0), 0);
}

/** Throws `EMBEDDING_FAILED` for vectors that are not the model's, as an unusual processor might compute them. */
export async function assertSane(plan: Engine['plan'], precision: Precision): Promise<void> {
  let least = 1;
  for (const step of plan(REFERENCE_VECTORS.map(({ text }) => text))) {
    const vectors = await step.run();
    for (const [place, index] of step.indexes.entries()) {
      const reference = REFERENCE_VECTORS[index]?.vector ?? '';
      least = Math.min(least, similarityTo(reference, vectors[place] ?? new Float32Array()));
    }
  }
  if (least >= LEAST_SIMILARITY[precision]) return;
  throw new LaminaError(
    'EMBEDDING_FAILED',
    `Its vectors are wrong (cosine ${least.toFixed(4)} to what they should be).`,
  );
}
