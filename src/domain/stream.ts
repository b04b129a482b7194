/** What is followed: one thing after the other, in pages, each of which says how far it goes. */

export interface StreamPage<Item> {
  readonly items: readonly Item[];
  /** Whoever goes on after it misses nothing and gets nothing twice; also where nothing came that the asker may see. */
  readonly position: string;
}
