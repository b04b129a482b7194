/** Reading entries by id, by list and by history. */

import { reachOf } from '../../domain/access.ts';
import {
  type GetInput,
  type ListInput,
  type ListOutput,
  type Version,
  type VersionsInput,
} from '../../domain/browse.ts';
import type { Entry } from '../../domain/entry.ts';
import type { Principal } from '../../domain/principal.ts';
import { scopeOf } from '../../domain/scope.ts';
import type { Dependencies } from '../dependencies.ts';
import { shown } from '../lifecycle/shown.ts';
import { countedPageOf, type PageRequest } from '../paging/page.ts';
import { momentOf, stoodAt } from '../recall/as-of.ts';
import { visibleAt } from '../recall/as-of-results.ts';
import { withVectorsThen } from '../recall/as-of-vectors.ts';
import { identifiersOf } from '../scoping.ts';
import { listAsOf } from './as-of-list.ts';
import { withEmbeddings } from './embedding.ts';
import { listNamed } from './named-list.ts';
import { placeOf } from './newest-first.ts';
import { canSee, notFound } from './sight.ts';
import { assertNotUnreadable } from './unreadable.ts';

/** Null if it does not exist, is not the requested kind, or is not visible to this principal. */
export async function get(
  dependencies: Dependencies,
  principal: Principal,
  { id, includeEmbedding = false, asOf }: GetInput,
  isMeant: (entry: Entry) => boolean = () => true,
): Promise<Entry | null> {
  const { entries, clock } = dependencies;
  const at = asOf === undefined ? undefined : momentOf(asOf, clock);
  const [entry] = await entries.find(principal, [id]);
  if (entry === undefined) await assertNotUnreadable(entries, principal, id, isMeant);
  if (entry === undefined || !canSee(principal, entry) || !isMeant(entry)) return null;
  if (at !== undefined) {
    const former = await visibleAt(dependencies, principal, entry, at);
    if (former === undefined || !isMeant(former)) return null;
    const [past] = includeEmbedding
      ? await withVectorsThen(dependencies, principal, [{ now: entry, former }])
      : [former];
    return past ?? null;
  }
  entries.touch(principal, [id]);
  const [answer] = includeEmbedding ? await withEmbeddings(dependencies, principal, [entry]) : [entry];
  return answer ? shown(dependencies, answer) : null;
}

/** Newest first. */
export async function list(dependencies: Dependencies, principal: Principal, input: ListInput): Promise<ListOutput> {
  if (input.externalIds !== undefined) {
    return listNamed(dependencies, principal, { ...input, externalIds: input.externalIds });
  }
  if (input.asOf !== undefined) return listAsOf(dependencies, principal, { ...input, asOf: input.asOf });
  const { entries } = dependencies;
  const { layer, kinds, status, filter, cursor, limit } = input;
  const identifiers = identifiersOf(principal, input.identifiers);
  const selection = { partitions: reachOf(principal, [scopeOf(layer, identifiers)], kinds, status), filter };
  const request: PageRequest<Entry> = {
    list: { layer, identifiers, kinds, status, filter },
    cursor,
    limit,
    placeOf,
    read: (count, after) => entries.list(principal, selection, count, after && { createdAt: after.at, id: after.id }),
  };
  const { items, ...rest } = await countedPageOf(request, () => entries.count(principal, selection));
  return { memories: items.map((entry) => shown(dependencies, entry)), ...rest };
}

/** Newest first, beginning with the current one; versions that were private are not shown to others afterwards. */
export async function versions(
  { entries, clock }: Dependencies,
  principal: Principal,
  { id, asOf }: VersionsInput,
  isMeant: (entry: Entry) => boolean = () => true,
): Promise<Version[]> {
  const at = asOf === undefined ? Number.POSITIVE_INFINITY : momentOf(asOf, clock);
  const [entry] = await entries.find(principal, [id]);
  if (entry === undefined) await assertNotUnreadable(entries, principal, id, isMeant);
  if (entry === undefined || !canSee(principal, entry) || !isMeant(entry)) throw notFound(id);
  const history = await entries.history(principal, id);
  const all = [{ memory: entry, replacedAt: null }, ...history.filter(({ memory }) => canSee(principal, memory))];
  const known = all.filter(({ memory }) => stoodAt(memory, at)).map((version) => standing(version, at));
  if (known.length === 0) throw notFound(id);
  return known;
}

/** At that moment nothing had taken the place of the version that stood. */
function standing({ memory, replacedAt }: Version, at: number): Version {
  const isReplaced = replacedAt !== null && Date.parse(replacedAt) <= at;
  return { memory, replacedAt: isReplaced ? replacedAt : null };
}
