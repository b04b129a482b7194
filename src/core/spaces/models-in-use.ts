/** Which models to use from here on, for work of several steps: they stay the same, whatever is changed meanwhile. */

import type { Embedder, ModelsInUse } from '../../ports/embedder.ts';

export function modelsInUse(embedder: Embedder, anew = false): Promise<ModelsInUse> {
  return embedder.inUse?.({ anew }) ?? Promise.resolve({ active: embedder, other: undefined, needsOther: false });
}

export async function activeModel(embedder: Embedder): Promise<Embedder> {
  return (await modelsInUse(embedder)).active;
}
