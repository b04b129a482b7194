/** How alike two things are. */

/** Cosine similarity of two vectors of unit length. */
export function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let index = 0; index < a.length; index += 1) sum += (a[index] ?? 0) * (b[index] ?? 0);
  return sum;
}

/** Share of distinct lexemes that two texts have in common. */
export function overlap(a: readonly string[], b: readonly string[]): number {
  const left = new Set(a);
  const right = new Set(b);
  const common = left.intersection(right).size;
  return common === 0 ? 0 : common / (left.size + right.size - common);
}
