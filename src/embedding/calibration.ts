/** Measures what similarity between unrelated texts looks like under a model. */

import { LaminaError } from '../domain/error.ts';
import type { Calibration } from '../ports/embedder.ts';
import { GENERIC_SENTENCES } from './generic-sentences.ts';

/** Below this every text has the same vector, whatever rounding adds to it. */
const LEAST_DEVIATION = 1e-6;

/** Cosine similarity of two vectors of unit length. */
function similarity(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (const [index, value] of a.entries()) sum += value * (b[index] ?? 0);
  return sum;
}

/** Mean and standard deviation of the similarity between all pairs of these vectors. */
export function calibrationOf(vectors: readonly Float32Array[]): Calibration {
  const similarities = vectors.flatMap((vector, index) =>
    vectors.slice(index + 1).map((other) => similarity(vector, other)),
  );
  const mean = similarities.reduce((sum, value) => sum + value, 0) / similarities.length;
  const variance = similarities.reduce((sum, value) => sum + (value - mean) ** 2, 0) / similarities.length;
  return { mean, deviation: Math.sqrt(variance) };
}

/**
 * Embeds the generic sentences and compares them all with each other. Throws what `embed` throws, and
 * `EMBEDDING_FAILED` for a model that gives every text the same vector.
 */
export async function measureCalibration(
  embed: (texts: readonly string[]) => Promise<readonly Float32Array[]>,
): Promise<Calibration> {
  const calibration = calibrationOf(await embed(GENERIC_SENTENCES));
  if (calibration.deviation > LEAST_DEVIATION) return calibration;
  throw new LaminaError(
    'EMBEDDING_FAILED',
    'The embedding model gives unrelated texts the same vector, so nothing can be found with it. Check its name.',
    { details: { permanent: true } },
  );
}
