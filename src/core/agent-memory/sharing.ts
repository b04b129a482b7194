/** Sharing values with other agents: each is stored in the inbox of the receiver, under the name of the sender. */

import {
  DEFAULT_AGENT_TTL,
  type RetrieveSharedInput,
  type SharedItem,
  type ShareInput,
  type ShareOutput,
  type WithdrawInput,
} from '../../domain/agent-memory.ts';
import { invalidField, LaminaError } from '../../domain/error.ts';
import type { Json } from '../../domain/json.ts';
import { inboxNamespace } from '../../domain/namespace.ts';
import type { Principal } from '../../domain/principal.ts';
import type { StateItem } from '../../domain/state.ts';
import { ownAgent } from '../own-agent.ts';
import { assertSize } from '../records/record.ts';
import type { Needs } from './agent-task.ts';

/** A user's agent; an empty agentId is the user as such. */
type Party = readonly [userId: string, agentId: string];

/** What lies in an inbox. */
interface Shared {
  readonly value: Json;
  /** Everyone it came through, including users without an agent; the last one shared it. */
  readonly chain: readonly Party[];
}

/** A longer chain is surely a mistake. */
const MAX_CHAIN = 100;
const CHAIN_BYTES = 64 * 1024;

/** Databases that isolate users rely on this: the first part is who may write it. */
function inboxKey([userId, agentId]: Party, key: string): string {
  return JSON.stringify([userId, agentId, key]);
}

/**
 * Throws `VALIDATION_FAILED` for a share with oneself, in a circle, or of nothing; `NOT_FOUND` if there is nothing to pass
 * on.
 */
export async function share(dependencies: Needs, principal: Principal, input: ShareInput): Promise<ShareOutput> {
  const { hot, clock, limits } = dependencies;
  const { key, ttlSeconds = DEFAULT_AGENT_TTL } = input;
  const source = selfOf(principal, input.agentId);
  const target = targetOf(principal, input);
  if (isSame(source, target)) throw invalidField('targetAgentId', 'is the agent that shares: it has it already');
  const { value, chain, until } = await given(dependencies, principal, source, input);
  if (chain.some((party) => isReached(party, target))) {
    const field = target[1] === '' ? 'targetUserId' : 'targetAgentId';
    throw invalidField(field, 'is cyclic: what was passed on came through the hands of that agent or user already');
  }
  if (chain.length >= MAX_CHAIN) throw invalidField('from', `has gone through ${MAX_CHAIN} hands already`);
  assertSize('value', value, limits);
  const item = await hot.write(principal, inboxNamespace(...target), inboxKey(source, key), {
    mutation: { type: 'set', value: { value, chain: [...chain, source] } },
    expiresAt: Math.min(clock.now() + ttlSeconds * 1000, until),
    maxBytes: limits.valueBytes + CHAIN_BYTES,
  });
  const [targetUserId, targetAgentId] = target;
  return {
    key,
    sourceUserId: source[0],
    sourceAgentId: source[1],
    targetUserId,
    ...(targetAgentId !== '' && { targetAgentId }),
    version: item.version,
    expiresAt: item.expiresAt ?? item.updatedAt,
  };
}

/** In the agent's own inbox, else in that of its user as such. */
export async function retrieveShared(
  dependencies: Needs,
  principal: Principal,
  { agentId, key, sourceAgentId, sourceUserId = principal.userId }: RetrieveSharedInput,
): Promise<SharedItem | null> {
  const self = selfOf(principal, agentId);
  const got = await received(dependencies, principal, self, [sourceUserId, sourceAgentId], key);
  if (got === null) return null;
  const { item } = got;
  const { value, chain } = sharedIn(item);
  return {
    key,
    value,
    sourceUserId,
    sourceAgentId,
    // That it was shared with a user as such is seen from who passed it on.
    chain: chain.filter(([, agent]) => agent !== '').map(([userId, agent]) => ({ userId, agentId: agent })),
    version: item.version,
    sharedAt: item.updatedAt,
    expiresAt: item.expiresAt ?? item.updatedAt,
  };
}

/** False if there was none. What was passed on meanwhile belongs to whoever passed it on. */
export function withdraw({ hot }: Needs, principal: Principal, input: WithdrawInput): Promise<boolean> {
  const source = selfOf(principal, input.agentId);
  return hot.remove(principal, inboxNamespace(...targetOf(principal, input)), inboxKey(source, input.key));
}

/** Throws `FORBIDDEN` for an agent other than the calling one. */
function selfOf(principal: Principal, agentId: string): Party {
  ownAgent(principal, agentId);
  return [principal.userId, agentId];
}

function targetOf({ userId }: Principal, { targetUserId, targetAgentId }: WithdrawInput): Party {
  if (targetUserId === undefined && targetAgentId === undefined) {
    throw new LaminaError(
      'MISSING_IDENTIFIER',
      'Say with whom: targetAgentId for an agent of yours, targetUserId for others.',
    );
  }
  return [targetUserId ?? userId, targetAgentId ?? ''];
}

function isSame(a: Party, b: Party): boolean {
  return a[0] === b[0] && a[1] === b[1];
}

/** Whether one of them is, or has had it through, the other: what a user as such has, all agents of that user have. */
function isReached(a: Party, b: Party): boolean {
  return a[0] === b[0] && (a[1] === b[1] || a[1] === '' || b[1] === '');
}

/** What is shared, and until when it may be had. */
async function given(
  dependencies: Needs,
  principal: Principal,
  source: Party,
  { key, value, from }: ShareInput,
): Promise<Shared & { readonly until: number }> {
  if ((value === undefined) === (from === undefined)) {
    throw invalidField('value', 'give either a value of your own or `from`, who shared it with you');
  }
  if (value !== undefined) return { value, chain: [], until: Number.POSITIVE_INFINITY };
  const giver: Party = [from?.userId ?? principal.userId, from?.agentId ?? ''];
  const got = await received(dependencies, principal, source, giver, key);
  if (got === null) throw new LaminaError('NOT_FOUND', `Nothing under "${key}" was shared with you by that agent.`);
  const { item, inbox } = got;
  const end = item.expiresAt === undefined ? Number.POSITIVE_INFINITY : Date.parse(item.expiresAt);
  const { value: theirs, chain } = sharedIn(item);
  return { value: theirs, chain: isSame(inbox, source) ? chain : [...chain, inbox], until: end };
}

async function received(
  { hot }: Needs,
  principal: Principal,
  [userId, agentId]: Party,
  giver: Party,
  key: string,
): Promise<{ readonly item: StateItem; readonly inbox: Party } | null> {
  const inboxes: readonly Party[] = [
    [userId, agentId],
    [userId, ''],
  ];
  for (const inbox of inboxes) {
    const item = await hot.get(principal, inboxNamespace(...inbox), inboxKey(giver, key));
    if (item !== null) return { item, inbox };
  }
  return null;
}

function sharedIn({ value }: StateItem): Shared {
  return value as unknown as Shared;
}
