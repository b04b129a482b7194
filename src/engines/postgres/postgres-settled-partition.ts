/** A partition that is held whole: what the ranking reads of its entries, who has which word, and all vectors. */

import { bytesOf, type Described, type DescribedPartition } from './postgres-described.ts';

/** What a word of an entry takes, roughly, besides the word. */
const POSTING_BYTES = 48;

/** The entries of a partition, each with a vector. */
export interface SettledPartition {
  readonly stamp: string;
  readonly entries: readonly Described[];
  /** For each word the index of an entry that has it, and how often, in turns. */
  readonly words: ReadonlyMap<string, readonly number[]>;
  /** One after another, in the order of the entries. */
  readonly vectors: Float32Array;
  /** How long each is. */
  readonly norms: Float64Array;
}

/** Vectors by the numbers of entries. */
export type Vectors = ReadonlyMap<number, Float32Array>;

/** The vectors of what has not changed since: whatever is written to an entry makes another description of it. */
export function unchangedVectors(before: SettledPartition | undefined, { entries }: DescribedPartition): Vectors {
  const vectors = new Map<number, Float32Array>();
  for (const [index, described] of before?.entries.entries() ?? []) {
    if (before && entries.get(described.seq) === described) vectors.set(described.seq, vectorAt(before, index));
  }
  return vectors;
}

/** Undefined where an entry has no vector, or one without a direction. */
export function settledOf(
  { stamp, entries: described }: DescribedPartition,
  by: Vectors,
): SettledPartition | undefined {
  const entries = [...described.values()];
  const found = entries.flatMap(({ seq }) => by.get(seq) ?? []);
  const norms = Float64Array.from(found, normOf);
  if (found.length !== entries.length || !norms.every((norm) => norm > 0 && norm < Infinity)) return undefined;
  const vectors = new Float32Array(found.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const vector of found) {
    vectors.set(vector, at);
    at += vector.length;
  }
  return { stamp, entries, words: wordsOf(entries), vectors, norms };
}

/** With entries that were not in it; undefined likewise. */
export function extended(
  before: SettledPartition,
  stamp: string,
  added: readonly Described[],
  by: Vectors,
): SettledPartition | undefined {
  if (added.length === 0) return { ...before, stamp };
  const more = settledOf({ stamp, entries: new Map(added.map((described) => [described.seq, described])) }, by);
  if (more === undefined) return undefined;
  const [count, vectors] = [before.entries.length, new Float32Array(before.vectors.length + more.vectors.length)];
  vectors.set(before.vectors);
  vectors.set(more.vectors, before.vectors.length);
  const words = new Map(before.words);
  for (const [lexeme, postings] of more.words) {
    const moved = postings.map((value, at) => (at % 2 === 0 ? value + count : value));
    words.set(lexeme, [...(before.words.get(lexeme) ?? []), ...moved]);
  }
  const norms = Float64Array.from([...before.norms, ...more.norms]);
  return { stamp, entries: [...before.entries, ...more.entries], words, vectors, norms };
}

function vectorAt({ vectors, norms }: SettledPartition, index: number): Float32Array {
  const dimensions = vectors.length / norms.length;
  return vectors.subarray(index * dimensions, (index + 1) * dimensions);
}

export function normOf(vector: Float32Array): number {
  let sum = 0;
  // Many times as fast as to reduce it.
  for (let index = 0; index < vector.length; index += 1) sum += Number(vector[index]) * Number(vector[index]);
  return Math.sqrt(sum);
}

function wordsOf(entries: readonly Described[]): Map<string, number[]> {
  const words = new Map<string, number[]>();
  for (const [index, { lexemes }] of entries.entries()) {
    const counts = new Map<string, number>();
    for (const lexeme of lexemes.split(' ')) counts.set(lexeme, (counts.get(lexeme) ?? 0) + 1);
    for (const [lexeme, count] of counts) {
      const postings = words.get(lexeme);
      if (postings === undefined) words.set(lexeme, [index, count]);
      else postings.push(index, count);
    }
  }
  return words;
}

/** Roughly. */
export function settledBytesOf(partition: SettledPartition): number {
  let bytes = bytesOf(partition.entries) + partition.vectors.byteLength + partition.norms.byteLength;
  for (const postings of partition.words.values()) bytes += POSTING_BYTES + 8 * postings.length;
  return bytes;
}
