/** A list by external ids: each is looked up, and nothing else is read. */

import type { ListInput, ListOutput } from '../../domain/browse.ts';
import { isUnreadable } from '../../domain/closed-entry.ts';
import type { Entry } from '../../domain/entry.ts';
import { invalidField } from '../../domain/error.ts';
import { KINDS } from '../../domain/kind.ts';
import type { Principal } from '../../domain/principal.ts';
import { PERSONAL_LAYERS, scopeOf, type Scope } from '../../domain/scope.ts';
import { hasExpired } from '../../domain/time-to-live.ts';
import type { Identity } from '../../ports/entry-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { shown } from '../lifecycle/shown.ts';
import { pageOf } from '../paging/page.ts';
import { meetsFilter } from '../recall/as-of.ts';
import { identifiersOf } from '../scoping.ts';
import { isAfter, newest, placeOf } from './newest-first.ts';
import { canSee } from './sight.ts';

type NamedListInput = ListInput & { readonly externalIds: readonly string[] };

/** Newest first, of the layer's own and the principal's: what others share there goes by names of theirs. */
export async function listNamed(
  dependencies: Dependencies,
  principal: Principal,
  input: NamedListInput,
): Promise<ListOutput> {
  const { layer, kinds, status, filter, externalIds, cursor, limit } = input;
  if (input.asOf !== undefined) throw invalidField('asOf', 'cannot be given together with externalIds');
  const identifiers = identifiersOf(principal, input.identifiers);
  const found = await foundOf(dependencies, principal, identitiesOf(principal, scopeOf(layer, identifiers), input));
  const now = dependencies.clock.now();
  const meant = found.filter(
    (entry): entry is Entry =>
      entry !== null && canSee(principal, entry) && isOn(status, entry, now) && meetsFilter(entry, filter),
  );
  const page = await pageOf<Entry>({
    list: { layer, identifiers, kinds, status, filter, externalIds },
    cursor,
    limit,
    placeOf,
    read: async (count, after) =>
      newest(
        meant.filter((entry) => isAfter(entry, after)),
        count,
      ),
  });
  return {
    memories: page.items.map((entry) => shown(dependencies, entry)),
    nextCursor: page.nextCursor,
    totalCount: meant.length,
  };
}

/** An entry that cannot be opened must not hide others: then each is looked up separately. */
async function foundOf(
  { entries }: Pick<Dependencies, 'entries'>,
  principal: Principal,
  identities: readonly Identity[],
): Promise<(Entry | null)[]> {
  try {
    return await entries.findSame(principal, identities);
  } catch (error) {
    if (!isUnreadable(error)) throw error;
    if (identities.length === 1) return [null];
    const each = identities.map((identity) => foundOf({ entries }, principal, [identity]));
    return (await Promise.all(each)).flat();
  }
}

function identitiesOf({ userId }: Principal, scope: Scope, { externalIds, kinds }: NamedListInput): Identity[] {
  const owners = PERSONAL_LAYERS.has(scope.layer) ? [scope.identifiers.userId ?? userId] : [null, userId];
  return [...new Set(externalIds)].flatMap((externalId) =>
    [...new Set(kinds ?? KINDS)].flatMap((kind) =>
      owners.map((ownerId) => ({ externalId, ownerId, partition: { scope, kind, audience: '' } })),
    ),
  );
}

function isOn(shelf: ListInput['status'] = 'active', entry: Entry, now: number): boolean {
  if (hasExpired(entry, now)) return false;
  const { status } = entry;
  const lies = status === 'archived' || status === 'quarantined' ? status : 'active';
  return shelf === lies || (shelf === 'all' && lies !== 'quarantined');
}
