/**
 * Which agents have short-term memory in a session, so that all of it can be cleared. Written down with the first write of
 * an agent, and again when that would end too early: a write costs one small read more.
 */

import { sessionNamespace } from '../../domain/namespace.ts';
import type { Principal } from '../../domain/principal.ts';
import type { Dependencies } from '../dependencies.ts';

type Needs = Pick<Dependencies, 'hot'>;

/** A day longer than needed, so that an agent that writes every minute does not update this every minute. */
const MARGIN_MS = 24 * 60 * 60 * 1000;
const PAGE = 100;
const MAX_BYTES = 16;

/** No session has an empty id, so nothing else lies there. */
function register({ userId }: Principal): string {
  return sessionNamespace(userId, '', '');
}

/** That this agent has something in the session until then (milliseconds). */
export async function noteAgent(
  { hot }: Needs,
  principal: Principal,
  sessionId: string,
  agentId: string,
  until: number,
): Promise<void> {
  const key = nameOf(sessionId, agentId);
  const noted = await hot.get(principal, register(principal), key);
  if (noted?.expiresAt !== undefined && Date.parse(noted.expiresAt) >= until) return;
  await hot.write(principal, register(principal), key, {
    mutation: { type: 'set', value: true },
    expiresAt: until + MARGIN_MS,
    maxBytes: MAX_BYTES,
  });
}

/** Removes the short-term memory of a session: of all agents of the user, or of the one that is asking. Can be repeated. */
export async function forgetSession({ hot }: Needs, principal: Principal, sessionId: string): Promise<void> {
  const { userId, agentId: own } = principal;
  const agents = own === undefined ? ['', ...(await agentsIn({ hot }, principal, sessionId))] : [own];
  for (const agentId of agents) {
    await hot.clear(principal, sessionNamespace(userId, agentId, sessionId));
    if (agentId !== '') await hot.remove(principal, register(principal), nameOf(sessionId, agentId));
  }
}

async function agentsIn({ hot }: Needs, principal: Principal, sessionId: string): Promise<string[]> {
  const prefix = nameOf(sessionId, '').slice(0, -'""]'.length);
  const agents: string[] = [];
  let after = prefix;
  for (;;) {
    const page = await hot.list(principal, register(principal), PAGE, after);
    const own = page.filter(({ key }) => key.startsWith(prefix));
    agents.push(...own.map(({ key }) => (JSON.parse(key) as [string, string])[1]));
    const last = own.at(-1);
    if (last === undefined || own.length < PAGE) return agents;
    after = last.key;
  }
}

function nameOf(sessionId: string, agentId: string): string {
  return JSON.stringify([sessionId, agentId]);
}
