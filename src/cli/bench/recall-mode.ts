/** The ways of searching that are put beside each other: what Lamina does by itself, and what others do. */

/** Those of `fusion` are the two lists that it is made of. */
export const RECALL_MODES = {
  default: { title: 'Lamina, as it comes' },
  text: { title: 'words only, plain (BM25)' },
  vector: { title: 'vectors only, plain' },
  fusion: { title: 'plain rank fusion of these two' },
  keyword: { title: 'Lamina, mode keyword' },
  semantic: { title: 'Lamina, mode semantic' },
} as const;

export type RecallMode = keyof typeof RECALL_MODES;

export const MODE_NAMES = Object.keys(RECALL_MODES) as RecallMode[];

/** What stands in a table unless others are asked for. */
export const DEFAULT_MODES: readonly RecallMode[] = ['default', 'text', 'vector', 'fusion'];
