/** Adding their vectors to entries, for callers that ask. */

import type { Entry } from '../../domain/entry.ts';
import type { Principal } from '../../domain/principal.ts';
import type { Dependencies } from '../dependencies.ts';

export async function withEmbeddings(
  { entries, embedder }: Dependencies,
  principal: Principal,
  shown: readonly Entry[],
): Promise<Entry[]> {
  const ids = shown.map((entry) => entry.id);
  const vectors = await entries.vectors(principal, await embedder.space(), ids);
  return shown.map((entry) => {
    const vector = vectors.get(entry.id);
    return vector === undefined ? entry : { ...entry, embedding: [...vector] };
  });
}
