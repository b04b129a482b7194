/** The namespace of an agent's working memory in a task, and the lifetime of its values. */

import { DEFAULT_AGENT_TTL, type AgentTask } from '../../domain/agent-memory.ts';
import { agentNamespace } from '../../domain/namespace.ts';
import type { Principal } from '../../domain/principal.ts';
import type { StateItem } from '../../domain/state.ts';
import type { Dependencies } from '../dependencies.ts';
import { ownAgent } from '../own-agent.ts';

export type Needs = Pick<Dependencies, 'hot' | 'state' | 'clock' | 'limits'>;

/** Throws `FORBIDDEN` for an agent other than the calling one. */
export function namespaceOf(principal: Principal, { agentId, taskId }: AgentTask): string {
  ownAgent(principal, agentId);
  return agentNamespace(principal.userId, agentId, taskId ?? '');
}

/** Milliseconds. Every write restarts its time to live, so this is the span from the last write to the expiry. */
export function lifeOf(item: StateItem | null): number {
  if (item?.expiresAt === undefined) return DEFAULT_AGENT_TTL * 1000;
  return Date.parse(item.expiresAt) - Date.parse(item.updatedAt);
}
