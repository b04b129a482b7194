/** What runs the model, inside a thread or process. */

/** From fastest to slowest; each stands in for the one before it where that one does not run. */
export const RUNTIMES = ['onnx-int8', 'onnx-fp32', 'wasm'] as const;

export type Runtime = (typeof RUNTIMES)[number];

/** Some of the texts of a plan, done in one go. */
export interface Step {
  /** Which texts these are. */
  readonly indexes: readonly number[];
  /** A vector of unit length per index. */
  run(): Promise<Float32Array[]>;
}

export interface Engine {
  readonly runtime: Runtime;
  /** Steps that are short enough for a query to wait for one, and together do every text. Fine ones take a text or two each. */
  plan(texts: readonly string[], isFine?: boolean): readonly Step[];
}
