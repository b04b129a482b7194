/** A reranker, if one is configured: reads a query and a text together, and scores how well the text answers. */

export interface Reranker {
  /** Such as `rerank-v3.5`, for display. */
  readonly name: string;
  /** Whether texts leave this process. If so, texts that are too sensitive are not sent. */
  readonly isOutside: boolean;
  /**
   * One score between 0 and 1 per text, in their order; what the scores of a model mean is measured. Throws
   * `VALIDATION_FAILED` if it refuses this query or these texts, anything else if it cannot be used: then it is not asked
   * for a while. `signal` aborts when nobody waits any longer. Its messages hold neither a key nor any text.
   */
  rerank(query: string, texts: readonly string[], options: { readonly signal: AbortSignal }): Promise<number[]>;
  /** Aborts pending calls, and refuses new ones. */
  close(): Promise<void>;
}
