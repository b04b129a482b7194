/** How alike two things are. */

/** Cosine similarity of two vectors of unit length; or what their first values add to it. */
export function dot(a: Float32Array, b: Float32Array, count: number = a.length): number {
  const end = Math.min(count, a.length);
  let sum = 0;
  for (let index = 0; index < end; index += 1) sum += (a[index] ?? 0) * (b[index] ?? 0);
  return sum;
}

/** The vector of unit length between these, which are of unit length too. */
export function midwayBetween(vectors: readonly Float32Array[]): Float32Array {
  const [first = new Float32Array(), ...others] = vectors;
  if (others.length === 0) return first;
  const sum = first.map((value, index) => others.reduce((total, vector) => total + (vector[index] ?? 0), value));
  const length = Math.sqrt(dot(sum, sum));
  return length === 0 ? first : sum.map((value) => value / length);
}

/** Of so many values of two vectors, and how long their others are, it mostly shows that they are not alike. */
const FIRST_VALUES = 64;

/** More than what rounding can make of a sum. */
const ROUNDING = 1e-5;

/** As {@link dot}, where that is at least this much, and else that or 0: of most pairs only the first values are looked at. */
export function dotFrom(least: number): (a: Float32Array, b: Float32Array) => number {
  const lengths = new Map<Float32Array, number>();
  const lengthOfOthers = (vector: Float32Array): number => {
    let length = lengths.get(vector);
    if (length === undefined) {
      const others = vector.subarray(FIRST_VALUES);
      length = Math.sqrt(dot(others, others));
      lengths.set(vector, length);
    }
    return length;
  };
  return (a, b) => {
    const first = dot(a, b, FIRST_VALUES);
    const most = first + lengthOfOthers(a) * lengthOfOthers(b);
    return most < least - ROUNDING ? 0 : dot(a, b);
  };
}

/** Share of lexemes that two texts have in common. */
export function overlap(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const common = a.intersection(b).size;
  return common === 0 ? 0 : common / (a.size + b.size - common);
}
