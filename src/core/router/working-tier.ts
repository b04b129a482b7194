/** The working tier: what an agent stored under keys while it works, in a task or in none. */

import type { AgentItem, AgentTask } from '../../domain/agent-memory.ts';
import type { RoutedValue } from '../../domain/router.ts';
import type { AgentMemory } from '../agent-memory/agent-memory.ts';
import { slotOf } from '../agent-memory/slot.ts';
import type { Identified, TierAccess } from './tier.ts';

export function workingTier(memory: AgentMemory): TierAccess {
  return {
    missing: ({ agentId }) => (agentId === undefined ? 'agentId' : undefined),
    read: async (principal, place) => {
      const item = await memory.retrieve(principal, taskOf(place), slotOf('values', place.key));
      return item && routed(item);
    },
    write: async (principal, { value, ttlSeconds, ...place }) =>
      routed(await memory.store(principal, taskOf(place), slotOf('values', place.key), value, { ttlSeconds })),
    delete: (principal, place) => memory.remove(principal, { ...taskOf(place), key: place.key }),
  };
}

/** Nobody gets here without an agent. */
function taskOf({ agentId = '', taskId }: Identified): AgentTask {
  return { agentId, ...(taskId !== undefined && { taskId }) };
}

function routed({ createdAt: _created, ...item }: AgentItem): RoutedValue {
  return { tier: 'working', ...item };
}
