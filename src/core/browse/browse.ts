/** Reading entries by id, by list and by history. */

import { reachOf } from '../../domain/access.ts';
import {
  DEFAULT_PAGE_SIZE,
  type GetInput,
  type ListInput,
  type ListOutput,
  type Version,
} from '../../domain/browse.ts';
import type { Entry } from '../../domain/entry.ts';
import type { Principal } from '../../domain/principal.ts';
import { scopeOf } from '../../domain/scope.ts';
import type { Dependencies } from '../dependencies.ts';
import { identifiersOf } from '../scoping.ts';
import { cursorAfter, positionOf } from './cursor.ts';
import { withEmbeddings } from './embedding.ts';
import { canSee, notFound } from './sight.ts';

/** Null when it is not there or not this principal's to see. */
export async function get(
  dependencies: Dependencies,
  principal: Principal,
  { id, includeEmbedding = false }: GetInput,
): Promise<Entry | null> {
  const { entries } = dependencies;
  const [entry] = await entries.find(principal, [id]);
  if (entry === undefined || !canSee(principal, entry)) return null;
  entries.touch(principal, [id]);
  const [answer] = includeEmbedding ? await withEmbeddings(dependencies, principal, [entry]) : [entry];
  return answer ?? null;
}

/** Newest first; a page is stable while others write, because it continues from an entry and not from a number. */
export async function list({ entries }: Dependencies, principal: Principal, input: ListInput): Promise<ListOutput> {
  const asked = { ...input, identifiers: identifiersOf(principal, input.identifiers) };
  const position = positionOf(asked);
  const partitions = reachOf(principal, [scopeOf(asked.layer, asked.identifiers)], asked.kinds);
  const selection = { partitions, filter: asked.filter };
  const limit = asked.limit ?? DEFAULT_PAGE_SIZE;
  // One more than asked for tells whether there is a next page.
  const [found, totalCount] = await Promise.all([
    entries.list(principal, selection, limit + 1, position),
    entries.count(principal, selection),
  ]);
  const memories = found.slice(0, limit);
  const last = memories.at(-1);
  return { memories, nextCursor: last && found.length > limit ? cursorAfter(asked, last) : null, totalCount };
}

/** Newest first, beginning with the current one. */
export async function versions({ entries }: Dependencies, principal: Principal, id: string): Promise<Version[]> {
  const [entry] = await entries.find(principal, [id]);
  if (entry === undefined || !canSee(principal, entry)) throw notFound(id);
  return [{ memory: entry, replacedAt: null }, ...(await entries.history(principal, id))];
}
