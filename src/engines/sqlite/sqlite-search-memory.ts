/** What searches hold in memory, and how they share it: codes of large partitions, vectors of small ones, and what describes entries. */

import { DEFAULT_SEARCH_BYTES } from '../sql/search-memory.ts';

/** In bytes. */
export interface SearchShares {
  /** 384 dimensions take 104 bytes an entry: 128 MiB are enough for over a million. What codes leave free vectors of large partitions may have. */
  readonly codes: number;
  /** 1,544 bytes an entry: 64 MiB are enough for 43,000. Who is not among them costs what SQL would. */
  readonly vectors: number;
  /** Some 800 bytes an entry. */
  readonly described: number;
}

export function sharesOf(bytes: number = DEFAULT_SEARCH_BYTES): SearchShares {
  const quarter = Math.floor(bytes / 4);
  return { codes: quarter * 2, vectors: quarter, described: quarter };
}
