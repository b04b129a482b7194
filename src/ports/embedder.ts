/** Text to vectors. */

/** The distribution of cosine similarity between unrelated texts under a model. */
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

/** What it takes to recreate an embedder, except for keys. */
export interface EmbedderSettings {
  /** Such as `local` or `openai`; a program may have others. */
  readonly provider: string;
  readonly model?: string | undefined;
  readonly dimensions?: number | undefined;
  readonly baseUrl?: string | undefined;
}

/** The models in use at one moment, since one may be replacing another. */
export interface ModelsInUse {
  /** For searches and writes. */
  readonly active: Embedder;
  /** For writes as well, if it is available. */
  readonly other?: Embedder | undefined;
  /** Whether a write must have it, because they are about to change places. */
  readonly needsOther: boolean;
}

export interface Embedder {
  /** Absent if only the program that passed it in can recreate it. */
  readonly settings?: EmbedderSettings | undefined;
  /** If the model may be changed while in use: the models for a multi-step operation. `anew`: asks again. */
  inUse?(options?: { readonly anew: boolean }): Promise<ModelsInUse>;
  /** Known without loading the model where possible; may ask the provider once. */
  space(): Promise<EmbeddingSpace>;
  /** Measured once per model, and of models that know some languages better than others, for the language of this text. */
  calibration(text?: string): Promise<Calibration>;
  /** One vector of unit length per text, in order. Throws `EMBEDDING_FAILED`; never returns a part. */
  embed(texts: readonly string[]): Promise<Float32Array[]>;
  /** Drops what was cached for these texts. */
  forget(texts: readonly string[]): void;
  close(): Promise<void>;
}
