/** Vectors of length one, as every embedder has to return them. */

import { LaminaError } from '../domain/error.ts';

/** The same direction with length one. Throws `EMBEDDING_FAILED` where there is no direction. */
export function unitVector(values: ArrayLike<number>): Float32Array<ArrayBuffer> {
  let squares = 0;
  for (let index = 0; index < values.length; index += 1) squares += Number(values[index]) ** 2;
  const length = Math.sqrt(squares);
  // NaN anywhere makes the length NaN, and an overflow makes it infinite.
  if (!Number.isFinite(length) || length === 0) {
    const problem = length === 0 ? 'a vector of zeros' : 'a vector that is not made of finite numbers';
    throw new LaminaError('EMBEDDING_FAILED', `The embedding model returned ${problem}.`);
  }
  const unit = new Float32Array(values.length);
  for (let index = 0; index < unit.length; index += 1) unit[index] = Number(values[index]) / length;
  return unit;
}
