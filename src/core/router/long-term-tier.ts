/** The long-term tier: knowledge of the agent, or of the user where no agent is meant, under its key as external id. */

import type { Entry } from '../../domain/entry.ts';
import type { RoutedValue } from '../../domain/router.ts';
import type { Dependencies } from '../dependencies.ts';
import { setArchived } from '../lifecycle/archive.ts';
import { findNamed, ownPlacement, promotedName } from '../long-term/own-memories.ts';
import { valueOf, writingOf } from '../long-term/value.ts';
import { draftAt } from '../remember/draft.ts';
import { upsert } from '../remember/upsert.ts';
import type { Identified, TierAccess } from './tier.ts';

export function longTermTier(dependencies: Dependencies): TierAccess {
  return {
    missing: () => undefined,
    read: async (principal, place) => {
      const entry = await findNamed(dependencies, principal, place.agentId, namesOf(place));
      if (entry === null) return null;
      dependencies.entries.touch(principal, [entry.id]);
      return routed(place, entry);
    },
    write: async (principal, { value, ...place }) => {
      const placement = ownPlacement(principal, place.agentId);
      const writing = { ...writingOf(value), externalId: place.key, visibility: placement.visibility };
      const draft = draftAt(dependencies, placement, writing);
      const { memory } = await upsert(dependencies, principal, draft, { elsewhere: [] });
      return routed(place, memory);
    },
    delete: async (principal, place) => {
      const entry = await findNamed(dependencies, principal, place.agentId, namesOf(place));
      if (entry === null) return false;
      await setArchived(dependencies, principal, { id: entry.id, isArchived: true });
      return true;
    },
  };
}

/** Also by the name of what was short-term memory of the session, where one is named. */
function namesOf({ key, sessionId }: Identified): string[] {
  return sessionId === undefined ? [key] : [key, promotedName(sessionId, key)];
}

function routed({ key, agentId }: Identified, entry: Entry): RoutedValue {
  const { id, version, updatedAt, expiresAt } = entry;
  return {
    tier: 'long_term',
    key,
    value: valueOf(entry),
    version,
    updatedAt,
    ...(expiresAt !== undefined && { expiresAt }),
    ...(agentId !== undefined && { agentId }),
    memoryId: id,
  };
}
