/** Texts as token ids, grouped so that little is spent on padding. */

/** Padded tokens that go through the model at once: more was measured slower. */
const MAX_TOKENS = 256;

/** The same while others wait: a tenth to a fifth more work, and a quarter to a tenth of the wait. */
export const FINE_TOKENS = 32;

export interface TokenBatch {
  /** Which of the texts these are. */
  readonly indexes: readonly number[];
  /** [texts, tokens], padded with zeros. */
  readonly ids: Int32Array;
  /** One for a token, zero for padding. */
  readonly mask: Float32Array;
}

function padded(rows: readonly (readonly number[])[], indexes: readonly number[]): TokenBatch {
  const lengths = indexes.map((index) => rows[index]?.length ?? 0);
  const width = Math.max(...lengths);
  const ids = new Int32Array(width * indexes.length);
  const mask = new Float32Array(ids.length);
  for (const [place, index] of indexes.entries()) {
    ids.set(rows[index] ?? [], place * width);
    mask.fill(1, place * width, place * width + (lengths[place] ?? 0));
  }
  return { indexes, ids, mask };
}

/** All rows, texts of like length together. */
export function tokenBatches(rows: readonly (readonly number[])[], maxTokens: number = MAX_TOKENS): TokenBatch[] {
  const lengthOf = (index: number): number => rows[index]?.length ?? 0;
  const groups: number[][] = [];
  let group: number[] = [];
  // From short to long: the one that comes is the longest of its group.
  for (const index of [...rows.keys()].toSorted((a, b) => lengthOf(a) - lengthOf(b))) {
    const isFull = (group.length + 1) * lengthOf(index) > maxTokens;
    if (group.length === 0 || isFull) groups.push((group = []));
    group.push(index);
  }
  return groups.map((indexes) => padded(rows, indexes));
}
