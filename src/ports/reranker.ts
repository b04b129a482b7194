/** A reranker, where one is configured: reads a query and a text together, and says how well the text answers. */

export interface Reranker {
  /** Such as `rerank-v3.5`, for people who look at what is running. */
  readonly name: string;
  /** Whether texts leave this process. Then only those go that are not too sensitive. */
  readonly isOutside: boolean;
  /**
   * One score between 0 and 1 per text, in their order; what the scores of a model mean is measured. Throws
   * `VALIDATION_FAILED` where it refuses this query or these texts, anything else where it cannot be used: then it is left
   * alone for a while. `signal` says that nobody waits any longer. Its messages hold neither a key nor any text.
   */
  rerank(query: string, texts: readonly string[], options: { readonly signal: AbortSignal }): Promise<number[]>;
  /** Ends what is under way, and refuses what comes. */
  close(): Promise<void>;
}
