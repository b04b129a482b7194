/** What was changed since a moment, as it stood then: the part of the past that no index holds. */

import { partitionKey, partitionOf, reachOf, type Partition, type Shelf } from '../../domain/access.ts';
import type { Entry } from '../../domain/entry.ts';
import type { Kind } from '../../domain/kind.ts';
import type { Principal } from '../../domain/principal.ts';
import type { Scope } from '../../domain/scope.ts';
import type { Changed, ChangePosition, EntryStore, Reach } from '../../ports/entry-store.ts';
import { placementOf } from '../scoping.ts';
import { isValidAt, meetsFilter, stoodAt } from './as-of.ts';

/**
 * What is looked for in the past. Of expiry it knows nothing: what has expired is gone, as if deleted, and never comes
 * back, so that no version of what is there can have expired.
 */
export interface PastReach {
  /** Milliseconds. */
  readonly at: number;
  /** Where it has stood unchanged since, and what it must meet. */
  readonly unchanged: Reach;
  /** Where what was changed since may lie now: it may have been archived, restored, shared or made private. */
  readonly places: readonly Partition[];
  readonly wasThere: (former: Entry) => boolean;
}

/** An entry that was changed since, and as which it was in sight. */
export interface PastVersion {
  readonly now: Entry;
  readonly former: Entry;
}

export interface Changes {
  /** Those that were in sight. */
  readonly versions: readonly PastVersion[];
  /** All that were read. */
  readonly read: readonly Changed[];
  /** Where to go on. Undefined when nothing was read. */
  readonly last: ChangePosition | undefined;
  /** Whether there may be more. */
  readonly isFull: boolean;
}

interface PastConditions extends Pick<Reach, 'filter' | 'trusts'> {
  readonly kinds: readonly Kind[] | undefined;
  readonly shelf: Shelf;
}

/**
 * Who sees what is asked twice: the version must have lain where the principal may look, and the entry must lie there
 * now. What moved to another scope since is therefore found only where both scopes are asked for.
 */
export function pastReachOf(
  principal: Principal,
  scopes: readonly Scope[],
  { kinds, shelf, filter, trusts }: PastConditions,
  at: number,
): PastReach {
  const partitions = reachOf(principal, scopes, kinds, shelf);
  const keys = keysOf(partitions);
  return {
    at,
    unchanged: { partitions, filter, trusts, asOf: at },
    places: reachOf(principal, scopes, kinds, 'all'),
    wasThere: (former) =>
      stoodAt(former, at) &&
      isIn(keys, former) &&
      isValidAt(former, at) &&
      meetsFilter(former, filter) &&
      isTrusted(former, trusts),
  };
}

function isTrusted({ trust }: Entry, trusts: Reach['trusts']): boolean {
  return trusts === undefined || trusts.includes(trust);
}

export function keysOf(partitions: readonly Partition[]): ReadonlySet<string> {
  return new Set(partitions.map(partitionKey));
}

/** Whether this state of an entry lies, or lay, in one of these partitions. */
export function isIn(keys: ReadonlySet<string>, entry: Entry): boolean {
  return keys.has(partitionKey(partitionOf(placementOf(entry))));
}

export async function readChanges(
  entries: EntryStore,
  principal: Principal,
  { at, places, wasThere }: PastReach,
  limit: number,
  position?: ChangePosition,
): Promise<Changes> {
  const read = await entries.changed(principal, places, at, limit, position);
  const versions = read.filter((change): change is PastVersion => change.former !== null && wasThere(change.former));
  const last = read.at(-1);
  return { versions, read, last: last === undefined ? position : positionOf(last), isFull: read.length === limit };
}

function positionOf({ now: { id, updatedAt } }: Changed): ChangePosition {
  return { id, updatedAt: Date.parse(updatedAt) };
}
