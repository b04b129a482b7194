/** A model loaded into onnxruntime. */

import { loadOnnxRuntime } from '../onnx-runtime.ts';
import type { TokenBatch } from './token-batches.ts';

const OPTIONS = {
  // More were measured unsteady, and two sessions in two threads scale better.
  intraOpNumThreads: 1,
  interOpNumThreads: 1,
};

export type Outputs = Readonly<Record<string, Float32Array>>;

export interface OnnxSession {
  /** Blocks the thread until it is done. */
  run(batch: TokenBatch): Promise<Outputs>;
}

export async function openOnnxSession(model: Uint8Array): Promise<OnnxSession> {
  const { InferenceSession, Tensor } = loadOnnxRuntime();
  const session = await InferenceSession.create(model, OPTIONS);
  return {
    run: async ({ indexes, ids, mask }) => {
      const shape = [indexes.length, ids.length / indexes.length];
      const results = await session.run({
        ids: new Tensor('int32', ids, shape),
        mask: new Tensor('float32', mask, shape),
      });
      return Object.fromEntries(Object.entries(results).map(([name, { data }]) => [name, data]));
    },
  };
}
