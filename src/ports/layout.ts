/** Projecting vectors onto a plane, so that similar ones are close together. Never blocks anything else. */

export interface Vectors {
  /** Unit vectors, one after the other. */
  readonly values: Float32Array<ArrayBuffer>;
  readonly dimensions: number;
}

/** A layout of some vectors (landmarks), by which the others are placed. */
export interface Plane {
  /** Of the landmarks: x and y of each in turn, between -1 and 1. */
  readonly positions: Float32Array;
  /** The same for other vectors, each placed near its nearest landmarks. */
  place(vectors: Vectors): Promise<Float32Array>;
  close(): Promise<void>;
}

export interface LayoutOptions {
  /** The previous places of the landmarks, in order: then they stay there. */
  readonly positions?: Float32Array<ArrayBuffer> | undefined;
  /** Reports progress, from 0 to 1. */
  readonly progress?: ((share: number) => void) | undefined;
}

export interface Layout {
  /** The same landmarks always get the same places. */
  open(landmarks: Vectors, options?: LayoutOptions): Promise<Plane>;
}
