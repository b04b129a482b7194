/** A model loaded into onnxruntime. */

import { createRequire } from 'node:module';
import type { TokenBatch } from './token-batches.ts';

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

/** Throws what Node throws where onnxruntime-node is not installed, or has nothing for this platform. */
export function loadOnnxRuntime(): OnnxRuntime {
  // Optional, so it is looked for only when somebody wants it.
  return createRequire(import.meta.url)('onnxruntime-node') as OnnxRuntime;
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
