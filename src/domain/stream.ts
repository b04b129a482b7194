/** A stream of items, in pages, each with the position that it reaches. */

export interface StreamPage<Item> {
  readonly items: readonly Item[];
  /** Resuming after it misses and repeats nothing; it advances even over items that the caller may not see. */
  readonly position: string;
}
