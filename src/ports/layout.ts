/** Laying out vectors in a plane, so that what is near in meaning is near to the eye. Never in the way of anything else. */

export interface Vectors {
  /** Unit vectors, one after the other. */
  readonly values: Float32Array<ArrayBuffer>;
  readonly dimensions: number;
}

/** The plane with some of the vectors on it, by which others find their places. */
export interface Plane {
  /** Of the landmarks: x and y of each, one after the other, within -1 and 1. */
  readonly positions: Float32Array;
  /** The same for others, each beside the landmarks that are nearest to it. */
  place(vectors: Vectors): Promise<Float32Array>;
  close(): Promise<void>;
}

export interface LayoutOptions {
  /** Where the landmarks were before, in their order: then they stay there. */
  readonly positions?: Float32Array<ArrayBuffer> | undefined;
  /** Told how much of it is done, from 0 to 1. */
  readonly progress?: ((share: number) => void) | undefined;
}

export interface Layout {
  /** The same landmarks always get the same places. */
  open(landmarks: Vectors, options?: LayoutOptions): Promise<Plane>;
}
