/** What searches hold in memory, and how they share it: codes of large partitions, vectors of small ones, what describes entries, and entries. */

import { DEFAULT_SEARCH_BYTES } from '../sql/search-memory.ts';

/** In bytes. */
export interface SearchShares {
  /** 384 dimensions take 104 bytes an entry: 96 MiB are enough for nearly a million. What codes leave free vectors of large partitions may have. */
  readonly codes: number;
  /** 1,544 bytes an entry: 64 MiB are enough for 43,000. Who is not among them costs what SQL would. */
  readonly vectors: number;
  /** Some 800 bytes an entry. */
  readonly described: number;
  /** Some 2,500 bytes an entry: 32 MiB are enough for the 13,000 that were read last. */
  readonly entries: number;
}

export function sharesOf(bytes: number = DEFAULT_SEARCH_BYTES): SearchShares {
  const eighth = Math.floor(bytes / 8);
  return { codes: eighth * 3, vectors: eighth * 2, described: eighth * 2, entries: eighth };
}
