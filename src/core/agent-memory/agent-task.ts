/** Where the working memory of an agent's task lies, and how long its values live. */

import { DEFAULT_AGENT_TTL, type AgentTask } from '../../domain/agent-memory.ts';
import { agentNamespace } from '../../domain/namespace.ts';
import type { Principal } from '../../domain/principal.ts';
import type { StateItem } from '../../domain/state.ts';
import type { Dependencies } from '../dependencies.ts';
import { ownAgent } from '../own-agent.ts';

export type Needs = Pick<Dependencies, 'hot' | 'state' | 'clock' | 'limits'>;

/** Throws `FORBIDDEN` for another agent than the one that is asking. */
export function namespaceOf(principal: Principal, { agentId, taskId }: AgentTask): string {
  ownAgent(principal, agentId);
  return agentNamespace(principal.userId, agentId, taskId ?? '');
}

/** Milliseconds. Every write begins its time anew, so that this is what lies between the last one and its end. */
export function lifeOf(item: StateItem | null): number {
  if (item?.expiresAt === undefined) return DEFAULT_AGENT_TTL * 1000;
  return Date.parse(item.expiresAt) - Date.parse(item.updatedAt);
}
