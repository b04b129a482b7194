/** Reading entries by id, by list and by history. */

import { reachOf } from '../../domain/access.ts';
import { type GetInput, type ListInput, type ListOutput, type Version } from '../../domain/browse.ts';
import type { Entry } from '../../domain/entry.ts';
import type { Principal } from '../../domain/principal.ts';
import { scopeOf } from '../../domain/scope.ts';
import type { Dependencies } from '../dependencies.ts';
import { pageOf } from '../paging/page.ts';
import { identifiersOf } from '../scoping.ts';
import { withEmbeddings } from './embedding.ts';
import { canSee, notFound } from './sight.ts';

/** Null when it is not there, not what is meant, or not this principal's to see. */
export async function get(
  dependencies: Dependencies,
  principal: Principal,
  { id, includeEmbedding = false }: GetInput,
  isMeant: (entry: Entry) => boolean = () => true,
): Promise<Entry | null> {
  const { entries } = dependencies;
  const [entry] = await entries.find(principal, [id]);
  if (entry === undefined || !canSee(principal, entry) || !isMeant(entry)) return null;
  entries.touch(principal, [id]);
  const [answer] = includeEmbedding ? await withEmbeddings(dependencies, principal, [entry]) : [entry];
  return answer ?? null;
}

/** Newest first. */
export async function list({ entries }: Dependencies, principal: Principal, input: ListInput): Promise<ListOutput> {
  const { layer, kinds, status, filter, cursor, limit } = input;
  const identifiers = identifiersOf(principal, input.identifiers);
  const selection = { partitions: reachOf(principal, [scopeOf(layer, identifiers)], kinds, status), filter };
  const [page, totalCount] = await Promise.all([
    pageOf<Entry>({
      list: { layer, identifiers, kinds, status, filter },
      cursor,
      limit,
      placeOf: ({ createdAt, id }) => ({ at: Date.parse(createdAt), id }),
      read: (count, after) => entries.list(principal, selection, count, after && { createdAt: after.at, id: after.id }),
    }),
    entries.count(principal, selection),
  ]);
  return { memories: page.items, nextCursor: page.nextCursor, totalCount };
}

/** Newest first, beginning with the current one; what was private while it stood is not told to others afterwards. */
export async function versions(
  { entries }: Dependencies,
  principal: Principal,
  id: string,
  isMeant: (entry: Entry) => boolean = () => true,
): Promise<Version[]> {
  const [entry] = await entries.find(principal, [id]);
  if (entry === undefined || !canSee(principal, entry) || !isMeant(entry)) throw notFound(id);
  const history = await entries.history(principal, id);
  return [{ memory: entry, replacedAt: null }, ...history.filter(({ memory }) => canSee(principal, memory))];
}
