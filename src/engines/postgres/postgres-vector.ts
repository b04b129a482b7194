/** Vectors as pgvector reads and writes them: text, and always with the schema that its extension is in. */

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

/** The pieces of SQL that compare vectors of one space. */
export interface VectorSql {
  readonly spaceId: number;
  /** The type as which a vector is bound. Not as text, which would be read anew for every row that it is compared with. */
  readonly type: string;
  /** How far `v.vector` is from a value, one by one. */
  readonly distance: (value: string) => string;
  /** The same in the words of the index, so that it is used; undefined where there is none. */
  readonly indexedDistance: (value: string) => string | undefined;
}

export function vectorSql(schema: string, spaceId: number, dimensions: number): VectorSql {
  if (!Number.isInteger(spaceId) || !Number.isInteger(dimensions)) throw new TypeError('A space has whole numbers.');
  const home = `"${schema.replaceAll('"', '""')}"`;
  const type = dimensions <= MAX_DIMENSIONS ? 'vector' : 'halfvec';
  const indexed = `${home}.${type}(${dimensions})`;
  return {
    spaceId,
    type: `${home}.vector`,
    distance: (value) => `v.vector OPERATOR(${home}.<=>) ${value}`,
    indexedDistance: (value) =>
      dimensions > MAX_HALF_DIMENSIONS
        ? undefined
        : `(v.vector::${indexed}) OPERATOR(${home}.<=>) (${value}::${indexed})`,
  };
}
