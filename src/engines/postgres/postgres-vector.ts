/** Vectors as pgvector reads and writes them: text, or many in one array, and always with the schema that its extension is in. */

/** Enough digits that every number of four bytes comes back as it was. */
const DIGITS = 9;

/** pgvector's index over whole numbers, and the one over halves, take this many dimensions. */
const MAX_DIMENSIONS = 2000;
const MAX_HALF_DIMENSIONS = 4000;

/**
 * Between these, as most values of a vector of unit length are, ten decimals are exact enough for the same, and whole numbers are
 * written in a fifth of the time: they fit into 31 bits, and a step of them is less than half a step of numbers of four bytes.
 */
const LEAST_BY_STEPS = 2 ** -9;
const MOST_BY_STEPS = 0.2;

export function textOf(vector: Float32Array): string {
  let text = '';
  for (let index = 0; index < vector.length; index += 1) {
    text += index === 0 ? '[' : ',';
    text += numberText(Number(vector[index]));
  }
  return `${text}]`;
}

function numberText(value: number): string {
  const size = Math.abs(value);
  const isBySteps = size >= LEAST_BY_STEPS && size < MOST_BY_STEPS;
  return isBySteps ? `${Math.round(value * 1e10)}e-10` : value.toPrecision(DIGITS);
}

export function vectorOf(text: string): Float32Array {
  return Float32Array.from(text.slice(1, -1).split(','), Number);
}

/** What an array of numbers of four bytes begins with: dimensions, whether there are nulls, the type `real`, length, first index. */
const ARRAY_HEADER_BYTES = 20;
const REAL = 700;
/** Each number has its length before it. */
const NUMBER_BYTES = 8;

/**
 * Rows that each have a vector, as the first two values of a statement: as JSON that says where its vector lies in an array of all
 * of them, and that array as the server has it in memory. To write numbers as text and read them again takes ten times as long.
 */
export function packedValues(rows: readonly { readonly vector: Float32Array }[]): [string, Uint8Array] {
  let start = 0;
  const places = rows.map(({ vector, ...row }) => {
    const place = { ...row, start, dimensions: vector.length };
    start += vector.length;
    return place;
  });
  return [JSON.stringify(places), packed(rows)];
}

/** The vectors one after another, as an array. */
export function packed(rows: readonly { readonly vector: Float32Array }[]): Uint8Array {
  const length = rows.reduce((sum, { vector }) => sum + vector.length, 0);
  const view = new DataView(new ArrayBuffer(ARRAY_HEADER_BYTES + NUMBER_BYTES * length));
  [1, 0, REAL, length, 1].forEach((value, index) => view.setInt32(4 * index, value));
  let at = ARRAY_HEADER_BYTES;
  for (const { vector } of rows) {
    for (let index = 0; index < vector.length; index += 1) {
      view.setInt32(at, 4);
      view.setFloat32(at + 4, Number(vector[index]));
      at += NUMBER_BYTES;
    }
  }
  return new Uint8Array(view.buffer);
}

/** The vector of a row `w` of {@link packedValues}, as SQL. */
export function packedVector(schema: string): string {
  return `($2::real[])[w.start + 1 : w.start + w.dimensions]::${quoted(schema)}.vector`;
}

/** An array that is one vector, as SQL. */
export function arrayVector(parameter: string, schema: string): string {
  return `${parameter}::real[]::${quoted(schema)}.vector`;
}

function quoted(schema: string): string {
  return `"${schema.replaceAll('"', '""')}"`;
}

/** What a vector begins with where it is sent: how many dimensions it has, and nothing. */
const SENT_HEADER_BYTES = 4;

/** So many vectors one after another, as the server sends them. */
export function sentVectors(bytes: Uint8Array, count: number): Float32Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const dimensions = (bytes.length / Math.max(1, count) - SENT_HEADER_BYTES) / 4;
  const vectors = new Float32Array(count * dimensions);
  let at = 0;
  for (let index = 0; index < vectors.length; index += 1, at += 4) {
    if (index % dimensions === 0) at += SENT_HEADER_BYTES;
    vectors[index] = view.getFloat32(at);
  }
  return vectors;
}

/** The pieces of SQL that compare vectors of one space. */
export interface VectorSql {
  readonly spaceId: number;
  /** The type as which a vector is bound. Not as text, which would be read anew for every row that it is compared with. */
  readonly type: string;
  /** How far `v.vector` is from a value, one by one. */
  readonly distance: (value: string) => string;
  /** `v.vector` as bytes; see {@link sentVectors}. */
  readonly sent: string;
  /** The same in the words of the index, so that it is used; undefined where there is none. */
  readonly indexedDistance: (value: string) => string | undefined;
}

export function vectorSql(schema: string, spaceId: number, dimensions: number): VectorSql {
  if (!Number.isInteger(spaceId) || !Number.isInteger(dimensions)) throw new TypeError('A space has whole numbers.');
  const home = quoted(schema);
  const type = dimensions <= MAX_DIMENSIONS ? 'vector' : 'halfvec';
  const indexed = `${home}.${type}(${dimensions})`;
  return {
    spaceId,
    type: `${home}.vector`,
    distance: (value) => `v.vector OPERATOR(${home}.<=>) ${value}`,
    sent: `${home}.vector_send(v.vector)`,
    indexedDistance: (value) =>
      dimensions > MAX_HALF_DIMENSIONS
        ? undefined
        : `(v.vector::${indexed}) OPERATOR(${home}.<=>) (${value}::${indexed})`,
  };
}
