/** Text to vectors. */

/** The distribution of cosine similarity between unrelated texts under a model: what "nothing in common" looks like. */
export interface Calibration {
  readonly mean: number;
  readonly deviation: number;
}

/** A model, its dimensions and its distance: only vectors of the same space can be compared. */
export interface EmbeddingSpace {
  /** Stable name of the model, such as `local:minilm-l6-v2`. */
  readonly model: string;
  readonly dimensions: number;
}

export interface Embedder {
  /** Known without loading the model where possible; may ask the provider once. */
  space(): Promise<EmbeddingSpace>;
  /** Measured once per model; see {@link Calibration}. */
  calibration(): Promise<Calibration>;
  /** One vector of unit length per text, in order. Throws `EMBEDDING_FAILED`; never returns a part. */
  embed(texts: readonly string[]): Promise<Float32Array[]>;
  /** Drops what was cached for these texts. */
  forget(texts: readonly string[]): void;
  close(): Promise<void>;
}
