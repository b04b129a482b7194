/** What is shown of the past: the versions that were found, of entries that are still there and still one's to see. */

import type { Entry } from '../../domain/entry.ts';
import type { Principal } from '../../domain/principal.ts';
import { canSee } from '../browse/sight.ts';
import type { Dependencies } from '../dependencies.ts';
import { versionAt } from './as-of.ts';
import type { PastVersion } from './as-of-changes.ts';
import { withVectorsThen } from './as-of-vectors.ts';

interface FoundThen {
  readonly id: string;
  readonly past?: PastVersion | undefined;
}

/** Looking at the past is no use of a memory: no access is counted. */
export async function memoriesThen(
  dependencies: Dependencies,
  principal: Principal,
  found: readonly FoundThen[],
  at: number,
  includeEmbeddings: boolean,
): Promise<Entry[]> {
  const { entries } = dependencies;
  const past = new Map(found.map((each) => [each.id, each.past?.former]));
  const present = await entries.find(
    principal,
    found.map(({ id }) => id),
  );
  const versions = await Promise.all(
    present.map(async (now) => {
      const former = past.get(now.id) ?? (await visibleAt(dependencies, principal, now, at));
      return former && canSee(principal, now) ? [{ now, former }] : [];
    }),
  );
  const shown = versions.flat();
  return includeEmbeddings ? withVectorsThen(dependencies, principal, shown) : shown.map(({ former }) => former);
}

/** The version that stood then, where it could be seen then by who may see the entry now. */
export async function visibleAt(
  { entries }: Pick<Dependencies, 'entries'>,
  principal: Principal,
  now: Entry,
  at: number,
): Promise<Entry | undefined> {
  const former = await versionAt(entries, principal, now, at);
  return former && canSee(principal, former) ? former : undefined;
}
