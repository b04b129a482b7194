/** Telling models and their spaces apart. */

import type { Embedder, EmbedderSettings, EmbeddingSpace } from '../../ports/embedder.ts';
import type { UsedSpace } from '../../ports/space-store.ts';

export function isSameSpace(a: EmbeddingSpace, b: EmbeddingSpace): boolean {
  return a.model === b.model && a.dimensions === b.dimensions;
}

/** Where the endpoint lies makes no difference: it may have moved. */
export function isSameModel(a: EmbedderSettings, b: EmbedderSettings): boolean {
  return a.provider === b.provider && a.model === b.model && a.dimensions === b.dimensions;
}

/** A model as the database names it. Asks the provider where only that knows the dimensions. */
export async function usedSpaceOf(embedder: Embedder): Promise<UsedSpace> {
  const space = await embedder.space();
  const own = { provider: 'program', model: space.model, dimensions: space.dimensions };
  return { space, settings: embedder.settings ?? own };
}

export function modelName({ space: { model, dimensions } }: Pick<UsedSpace, 'space'>): string {
  return `${model} (${dimensions} dimensions)`;
}
