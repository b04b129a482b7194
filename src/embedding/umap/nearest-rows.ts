/** Vectors as rows of one array, and which of them are nearest. Pure. */

export interface Rows {
  readonly values: Float32Array;
  readonly dimensions: number;
  readonly count: number;
}

export function rowsOf(values: Float32Array, dimensions: number): Rows {
  return { values, dimensions, count: dimensions === 0 ? 0 : Math.floor(values.length / dimensions) };
}

export function dotOf(rows: Rows, a: number, b: number): number {
  return dotBetween(rows, a, rows, b);
}

export function dotBetween(left: Rows, a: number, right: Rows, b: number): number {
  const { dimensions } = left;
  const [ours, theirs] = [left.values, right.values];
  const [start, other] = [a * dimensions, b * dimensions];
  let sum = 0;
  for (let at = 0; at < dimensions; at += 1) sum += (ours[start + at] as number) * (theirs[other + at] as number);
  return sum;
}

export interface NearestRows {
  readonly indices: Int32Array;
  readonly similarities: Float32Array;
}

/** The most similar first. */
export function nearestTo(rows: Rows, similarityOf: (row: number) => number, limit: number): NearestRows {
  const size = Math.min(limit, rows.count);
  const indices = new Int32Array(size).fill(-1);
  const similarities = new Float32Array(size).fill(Number.NEGATIVE_INFINITY);
  for (let row = 0; row < rows.count; row += 1) {
    const similarity = similarityOf(row);
    if (similarity <= (similarities[size - 1] as number)) continue;
    let at = size - 1;
    for (; at > 0 && (similarities[at - 1] as number) < similarity; at -= 1) {
      similarities[at] = similarities[at - 1] as number;
      indices[at] = indices[at - 1] as number;
    }
    similarities[at] = similarity;
    indices[at] = row;
  }
  return { indices, similarities };
}
