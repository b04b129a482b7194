/** Reads the body of a successful answer from an embedding endpoint, trusting nothing in it. */

import { LaminaError } from '../../domain/error.ts';
import { unitVector } from '../unit-vector.ts';

function refuse(problem: string): never {
  throw new LaminaError('EMBEDDING_FAILED', `The embedding endpoint gave an answer that cannot be used: ${problem}.`);
}

/** A field of whatever came, or undefined. */
export function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? Reflect.get(value, name)
    : undefined;
}

function listIn(body: string): readonly unknown[] {
  let parsed: unknown;
  try {
    parsed = JSON.parse(body);
  } catch {
    refuse('it is not JSON');
  }
  const data = fieldOf(parsed, 'data');
  return Array.isArray(data) ? data : refuse('it has no list "data"');
}

function vectorIn(item: unknown): Float32Array {
  const embedding = fieldOf(item, 'embedding');
  if (!Array.isArray(embedding) || embedding.length === 0) refuse('an "embedding" is not a list of numbers');
  if (!embedding.every((value) => typeof value === 'number')) refuse('an "embedding" holds what is not a number');
  return unitVector(embedding);
}

/** One vector of unit length per input, in their order, all of the same dimensions. Throws `EMBEDDING_FAILED`. */
export function vectorsIn(body: string, count: number): Float32Array[] {
  const items = listIn(body);
  if (items.length !== count) refuse(`${count} texts were sent and ${items.length} vectors came back`);
  const vectors = new Map<unknown, Float32Array>();
  for (const [position, item] of items.entries()) {
    // Some servers leave the index out; those answer in order.
    const index = fieldOf(item, 'index') ?? position;
    vectors.set(index, vectorIn(item));
  }
  if (new Set([...vectors.values()].map((vector) => vector.length)).size > 1)
    refuse('its vectors differ in dimensions');
  return Array.from({ length: count }, (_, index) => vectors.get(index) ?? refuse(`index ${index} is missing`));
}
