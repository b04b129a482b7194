/** How alike the results of a search are that a merge compares with each other. */

import type { Principal } from '../../domain/principal.ts';
import type { EmbeddingSpace } from '../../ports/embedder.ts';
import type { Entries } from '../../ports/entry-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { indexedText } from '../remember/content.ts';
import { lexemesOf } from '../text/lexemes.ts';
import type { Found } from './found.ts';
import { SAME_CONTENT } from './merge.ts';
import { dotFrom, overlap } from './similarity.ts';

/**
 * Compares contents by meaning, where 0 stands for all that is less than the same; by words where not all have vectors. One layer
 * alone needs no comparison.
 */
export async function likeness(
  { entries }: Dependencies,
  principal: Principal,
  space: EmbeddingSpace | undefined,
  window: readonly Found[],
): Promise<(a: Found, b: Found) => number> {
  const isOneLayer = new Set(window.map(({ layer }) => layer)).size <= 1;
  if (isOneLayer) return () => 0;
  const ids = window.filter(({ past }) => past === undefined).map(({ id }) => id);
  const vectors = space ? await entries.vectors(principal, space, ids) : new Map<string, Float32Array>();
  for (const { id, past } of window) if (past?.vector) vectors.set(id, past.vector);
  const words = vectors.size === window.length ? NO_WORDS : await wordsOf(entries, principal, ids, window);
  const product = dotFrom(SAME_CONTENT);
  return (a, b) => {
    const left = vectors.get(a.id);
    const right = vectors.get(b.id);
    if (left && right) return product(left, right);
    const [ours, theirs] = [words.get(a.id), words.get(b.id)];
    return ours && theirs ? overlap(ours, theirs) : 0;
  };
}

type Words = ReadonlyMap<string, ReadonlySet<string>>;

const NO_WORDS: Words = new Map();

/** The distinct words of these entries, as they are indexed, and of those that were changed as they were then. */
async function wordsOf(
  entries: Entries,
  principal: Principal,
  ids: readonly string[],
  window: readonly Found[],
): Promise<Words> {
  const found = await entries.find(principal, ids);
  const past = window.flatMap((each) => (each.past ? [each.past.former] : []));
  return new Map([...found, ...past].map((entry) => [entry.id, new Set(lexemesOf(indexedText(entry)))]));
}
