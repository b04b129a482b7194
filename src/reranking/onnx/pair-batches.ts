/** A query with each of some texts as token ids, in groups of like length so that little is spent on padding. */

import type { WordPiece } from '../../embedding/word-piece.ts';

/** Somebody is waiting: texts are read this far, of which a query takes no more than a quarter. */
const WINDOW = 256;
const QUERY_WINDOW = 64;

/** Padded tokens that go through the model at once. */
const MAX_TOKENS = 1024;

export interface PairBatch {
  /** Which of the texts these are. */
  readonly indexes: readonly number[];
  /** Tokens of the longest. */
  readonly width: number;
  /** [texts, width], padded with zeros: ids, one for a token, and one for a token of the text. */
  readonly ids: BigInt64Array;
  readonly mask: BigInt64Array;
  readonly types: BigInt64Array;
}

export function pairBatches(words: WordPiece, query: string, texts: readonly string[]): PairBatch[] {
  const first = words.encode(query, QUERY_WINDOW);
  // Without the mark of a beginning, which a pair has once.
  const rows = texts.map((text) => words.encode(text, WINDOW - first.length + 1).slice(1));
  const lengthOf = (index: number): number => first.length + (rows[index]?.length ?? 0);
  const groups: number[][] = [];
  let group: number[] = [];
  for (const index of [...rows.keys()].toSorted((a, b) => lengthOf(a) - lengthOf(b))) {
    const isFull = (group.length + 1) * lengthOf(index) > MAX_TOKENS;
    if (group.length === 0 || isFull) groups.push((group = []));
    group.push(index);
  }
  return groups.map((indexes) => batchOf(first, rows, indexes));
}

function batchOf(
  first: readonly number[],
  rows: readonly (readonly number[])[],
  indexes: readonly number[],
): PairBatch {
  const width = first.length + Math.max(...indexes.map((index) => rows[index]?.length ?? 0));
  const size = width * indexes.length;
  const [ids, mask, types] = [new BigInt64Array(size), new BigInt64Array(size), new BigInt64Array(size)];
  for (const [place, index] of indexes.entries()) {
    const second = rows[index] ?? [];
    const [begin, middle] = [place * width, place * width + first.length];
    ids.set([...first, ...second].map(BigInt), begin);
    mask.fill(1n, begin, middle + second.length);
    types.fill(1n, middle, middle + second.length);
  }
  return { indexes, width, ids, mask, types };
}
