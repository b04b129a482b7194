/** The names under which drafts of one batch could meet in one entry. */

import { scopeKey } from '../../domain/scope.ts';
import type { Entry } from '../../domain/entry.ts';
import type { Identity } from '../../ports/entry-store.ts';

/** What is taken within one scope, owner and kind. */
interface Place {
  readonly externalIds: Set<string>;
  readonly contentHashes: Set<string>;
}

export class Claims {
  readonly #ids = new Set<string>();
  readonly #places = new Map<string, Place>();
  #latest: (Pick<Identity, 'partition' | 'ownerId'> & { readonly place: Place }) | undefined;

  /** Takes every name under which this draft could meet another one; false when one of them is taken already. */
  take(identity: Identity, existing: Entry | null): boolean {
    const { id, externalId, contentHash } = identity;
    const { externalIds, contentHashes } = this.#placeOf(identity);
    const isTaken =
      isIn(this.#ids, id) ||
      isIn(this.#ids, existing?.id) ||
      isIn(externalIds, externalId) ||
      isIn(contentHashes, contentHash);
    if (isTaken) return false;
    if (id !== undefined) this.#ids.add(id);
    if (existing !== null) this.#ids.add(existing.id);
    if (externalId !== undefined) externalIds.add(externalId);
    if (contentHash !== undefined) contentHashes.add(contentHash);
    return true;
  }

  /** Without the audience: what is private and what is shared are the same when they say the same. */
  #placeOf({ partition, ownerId }: Identity): Place {
    const latest = this.#latest;
    if (latest !== undefined && latest.partition === partition && latest.ownerId === ownerId) return latest.place;
    const name = JSON.stringify([scopeKey(partition.scope), partition.kind, ownerId]);
    const place = this.#places.get(name) ?? { externalIds: new Set(), contentHashes: new Set() };
    this.#places.set(name, place);
    this.#latest = { partition, ownerId, place };
    return place;
  }
}

function isIn(names: ReadonlySet<string>, name: string | undefined): boolean {
  return name !== undefined && names.has(name);
}
