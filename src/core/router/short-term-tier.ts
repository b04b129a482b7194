/** The short-term tier: what an agent keeps in mind for a session. A read through the router counts like any other. */

import type { RoutedValue } from '../../domain/router.ts';
import type { ShortTermItem, ShortTermKeyInput } from '../../domain/short-term.ts';
import type { ShortTerm } from '../short-term/short-term.ts';
import type { Identified, TierAccess } from './tier.ts';

export function shortTermTier(shortTerm: ShortTerm): TierAccess {
  return {
    missing: ({ sessionId }) => (sessionId === undefined ? 'sessionId' : undefined),
    read: async (principal, place) => {
      const item = await shortTerm.get(principal, placeOf(place));
      return item && routed(item);
    },
    write: async (principal, { value, type, ttlSeconds, ...place }) =>
      routed(await shortTerm.write(principal, { ...placeOf(place), value, type, ttlSeconds })),
    delete: (principal, place) => shortTerm.delete(principal, placeOf(place)),
  };
}

/** Nobody gets here without a session. */
function placeOf({ sessionId = '', agentId, key }: Identified): ShortTermKeyInput {
  return { sessionId, key, ...(agentId !== undefined && { agentId }) };
}

function routed({ sessionId, agentId, key, value, version, updatedAt, expiresAt }: ShortTermItem): RoutedValue {
  const owner = { sessionId, ...(agentId !== undefined && { agentId }) };
  return { tier: 'short_term', key, value, version, updatedAt, expiresAt, ...owner };
}
