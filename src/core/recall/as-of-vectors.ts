/** The vectors of versions. Only those of the present are stored: what said something else then is embedded again. */

import type { Entry } from '../../domain/entry.ts';
import type { Principal } from '../../domain/principal.ts';
import type { Dependencies } from '../dependencies.ts';
import { embeddedText } from '../remember/content.ts';
import { activeModel } from '../spaces/models-in-use.ts';
import type { PastVersion } from './as-of-changes.ts';

/** Whether the vector that is stored now is also that of then. */
export function hasSameText({ now, former }: PastVersion): boolean {
  return embeddedText(now) === embeddedText(former);
}

/** By id; what has none stored now, and has the same text, is left out. Throws `EMBEDDING_FAILED`. */
export async function vectorsThen(
  { entries, embedder }: Pick<Dependencies, 'entries' | 'embedder'>,
  principal: Principal,
  versions: readonly PastVersion[],
): Promise<Map<string, Float32Array>> {
  const model = await activeModel(embedder);
  const same = versions.filter(hasSameText).map(({ now }) => now.id);
  const others = versions.filter((version) => !hasSameText(version));
  const [stored, made] = await Promise.all([
    same.length === 0 ? [] : entries.vectors(principal, await model.space(), same),
    others.length === 0 ? [] : model.embed(others.map(({ former }) => embeddedText(former))),
  ]);
  const vectors = new Map(stored);
  made.forEach((vector, index) => vectors.set(others[index]?.now.id ?? '', vector));
  return vectors;
}

/** The versions with their vectors, for callers that ask. */
export async function withVectorsThen(
  dependencies: Dependencies,
  principal: Principal,
  versions: readonly PastVersion[],
): Promise<Entry[]> {
  const vectors = await vectorsThen(dependencies, principal, versions);
  return versions.map(({ former }) => {
    const vector = vectors.get(former.id);
    return vector === undefined ? former : { ...former, embedding: [...vector] };
  });
}
