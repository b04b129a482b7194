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

/** What it takes to make an embedder again, but for keys. */
export interface EmbedderSettings {
  /** Such as `local` or `openai`; a program may have others. */
  readonly provider: string;
  readonly model?: string | undefined;
  readonly dimensions?: number | undefined;
  readonly baseUrl?: string | undefined;
}

/** The models of a moment at which one may be changed for another. */
export interface ModelsInUse {
  /** For searches, and for writes. */
  readonly active: Embedder;
  /** For writes as well, where it can be had. */
  readonly other?: Embedder | undefined;
  /** Whether a write must have it, because they are about to change places. */
  readonly needsOther: boolean;
}

export interface Embedder {
  /** Absent where only the program that brought it could make it again. */
  readonly settings?: EmbedderSettings | undefined;
  /** Where the model may be changed while it is in use: what is good for work of several steps. `anew`: asks again. */
  inUse?(options?: { readonly anew: boolean }): Promise<ModelsInUse>;
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
