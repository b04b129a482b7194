/** onnxruntime, where it is installed. */

import { createRequire } from 'node:module';

/** What is used of onnxruntime-node, which brings no types of its own in this version. */
interface OnnxRuntime {
  readonly InferenceSession: {
    create(model: Uint8Array, options: Readonly<Record<string, unknown>>): Promise<NativeSession>;
  };
  readonly Tensor: new (type: string, data: ArrayBufferView, shape: readonly number[]) => object;
}

interface NativeSession {
  readonly inputNames: readonly string[];
  run(inputs: Readonly<Record<string, object>>): Promise<Readonly<Record<string, { readonly data: Float32Array }>>>;
}

/** Throws what Node throws where onnxruntime-node is not installed, or has nothing for this platform. */
export function loadOnnxRuntime(): OnnxRuntime {
  // Optional, so it is looked for only when somebody wants it.
  return createRequire(import.meta.url)('onnxruntime-node') as OnnxRuntime;
}
