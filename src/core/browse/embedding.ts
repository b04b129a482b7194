/** Adding their vectors to entries, for callers that ask. */

import type { Entry } from '../../domain/entry.ts';
import type { Principal } from '../../domain/principal.ts';
import type { Dependencies } from '../dependencies.ts';

export async function withEmbeddings(
  { engine, embedder }: Dependencies,
  principal: Principal,
  entries: readonly Entry[],
): Promise<Entry[]> {
  const ids = entries.map((entry) => entry.id);
  const vectors = await engine.vectors(principal, await embedder.space(), ids);
  return entries.map((entry) => {
    const vector = vectors.get(entry.id);
    return vector === undefined ? entry : { ...entry, embedding: [...vector] };
  });
}
