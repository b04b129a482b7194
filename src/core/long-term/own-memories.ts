/** Long-term memory of a principal under keys: entries of the agent's layer, or of the user's where no agent is meant. */

import { partitionOf, type Placement } from '../../domain/access.ts';
import type { Entry } from '../../domain/entry.ts';
import type { Principal } from '../../domain/principal.ts';
import { scopeOf } from '../../domain/scope.ts';
import { hasExpired } from '../../domain/time-to-live.ts';
import type { Dependencies } from '../dependencies.ts';

/** Where the knowledge of a user's agent (undefined: of the user) lies. */
export function ownPlacement({ userId }: Principal, agentId: string | undefined): Placement {
  const scope = agentId === undefined ? scopeOf('user', { userId }) : scopeOf('agent', { userId, agentId });
  return { scope, kind: 'semantic', visibility: 'private', ownerId: userId };
}

/** The external id of what was short-term memory: two sessions may use the same key for different things. */
export function promotedName(sessionId: string, key: string): string {
  return JSON.stringify([sessionId, key]);
}

/** The first of these names that a memory in use goes by; null when none does. */
export async function findNamed(
  { entries, clock }: Pick<Dependencies, 'entries' | 'clock'>,
  principal: Principal,
  agentId: string | undefined,
  names: readonly string[],
): Promise<Entry | null> {
  const placement = ownPlacement(principal, agentId);
  const place = { partition: partitionOf(placement), ownerId: placement.ownerId };
  const found = await entries.findSame(
    principal,
    names.map((externalId) => ({ ...place, externalId })),
  );
  const now = clock.now();
  return found.find((entry) => entry !== null && isInUse(entry, now)) ?? null;
}

function isInUse(entry: Entry, now: number): boolean {
  return entry.status !== 'archived' && entry.status !== 'quarantined' && !hasExpired(entry, now);
}
