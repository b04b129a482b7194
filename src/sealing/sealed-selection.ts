/** Selections, terms and identities as an engine is asked where entries are sealed. */

import type { Conditions, Identity, TextStatistics } from '../ports/entry-store.ts';
import { isAboutSealed, sealedFilter, sealedHash } from './sealed-entry.ts';
import type { TenantKeys } from './tenant-keys.ts';

/**
 * What to ask for. While not all of a tenant is sealed, a filter is asked twice: by marks for what is, and as it stands for
 * what is not. Nothing answers both.
 */
export function sealedSelections<S extends Conditions>(keys: TenantKeys, selection: S): S[] {
  const { filter } = selection;
  if (!keys.isThere || filter === undefined || !isAboutSealed(filter)) return [selection];
  const sealed = { ...selection, filter: sealedFilter(keys, filter) };
  return keys.isComplete ? [sealed] : [sealed, selection];
}

/** The same for words. The marks come first. */
export function sealedWords<W>(keys: TenantKeys, words: readonly W[], mark: (word: W) => W): readonly W[] {
  if (!keys.isThere) return words;
  const marked = words.map(mark);
  return keys.isComplete ? marked : [...marked, ...words];
}

/** Of words that were asked for twice: how many there are of each. */
export function foldedCounts(counts: readonly number[], words: number): readonly number[] {
  if (counts.length === words) return counts;
  return counts.slice(0, words).map((count, index) => count + (counts[index + words] ?? 0));
}

export function foldedStatistics(statistics: TextStatistics, words: number): TextStatistics {
  return { ...statistics, documentFrequencies: foldedCounts(statistics.documentFrequencies, words) };
}

export function sealedIdentity(keys: TenantKeys, identity: Identity): Identity {
  const { contentHash } = identity;
  return contentHash === undefined ? identity : { ...identity, contentHash: sealedHash(keys, contentHash) };
}

/** Answers of both ways to ask, in one order, each item once. */
export function merged<T>(pages: readonly (readonly T[])[], order: (a: T, b: T) => number, limit: number): T[] {
  const [first = [], ...others] = pages;
  return others.length === 0 ? [...first] : pages.flat().toSorted(order).slice(0, limit);
}
