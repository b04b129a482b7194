/** The ways of searching that are put beside each other: what Lamina does by itself, and what others do. */

interface Way {
  readonly title: string;
  /** What is asked for besides the question. */
  readonly input: { readonly mode?: 'keyword' | 'semantic' };
}

export const RECALL_MODES = {
  default: { title: 'Lamina, as it comes', input: {} },
  text: { title: 'words only (BM25), without what the ranking adds', input: { mode: 'keyword' } },
  vector: { title: 'vectors only, without what the ranking adds', input: { mode: 'semantic' } },
  fusion: { title: 'reciprocal rank fusion of text and vector', input: {} },
  keyword: { title: 'Lamina, mode keyword', input: { mode: 'keyword' } },
  semantic: { title: 'Lamina, mode semantic', input: { mode: 'semantic' } },
} as const satisfies Record<string, Way>;

export type RecallMode = keyof typeof RECALL_MODES;

export const MODE_NAMES = Object.keys(RECALL_MODES) as RecallMode[];

/** What stands in a table unless others are asked for. */
export const DEFAULT_MODES: readonly RecallMode[] = ['default', 'text', 'vector', 'fusion'];

/** Whether it stands for what others do. */
export function isPlain(mode: RecallMode): boolean {
  return mode === 'text' || mode === 'vector' || mode === 'fusion';
}
