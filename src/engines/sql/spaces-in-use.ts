/** What the spaces in use mean for a write. */

import type { EmbeddingSpace } from '../../ports/embedder.ts';
import type { EntryWrite } from '../../ports/entry-store.ts';
import type { SpacesInUse } from '../../ports/space-store.ts';

/** In which a write must have a vector. */
export function neededSpaces({ active, other, isSwitching }: SpacesInUse): EmbeddingSpace[] {
  return isSwitching && other ? [active.space, other.space] : [active.space];
}

/** Whose vectors are kept. */
export function keptSpaces({ active, other, phase }: SpacesInUse): EmbeddingSpace[] {
  return other && phase !== 'dropping' ? [active.space, other.space] : [active.space];
}

/** In which a write has vectors; none where the text did not change. */
export function spacesOf({ embedding, otherEmbedding }: EntryWrite): EmbeddingSpace[] {
  return [embedding, otherEmbedding].flatMap((each) => (each ? [each.space] : []));
}

export function hasSpace(spaces: readonly EmbeddingSpace[], { model, dimensions }: EmbeddingSpace): boolean {
  return spaces.some((each) => each.model === model && each.dimensions === dimensions);
}
