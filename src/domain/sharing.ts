/** Access lists of pools and contexts: who besides their owner reads and writes them. */

import { z } from 'zod';
import { identifier } from './entry.ts';
import { LaminaError } from './error.ts';
import { assertWithin, type Limits } from './limits.ts';
import type { Principal } from './principal.ts';

export const ACCESS_LEVELS = ['read', 'write'] as const;
export type AccessLevel = (typeof ACCESS_LEVELS)[number];

const MAX_MEMBERS = 1000;
const members = z.array(identifier).max(MAX_MEMBERS);

/**
 * An id in a list names a user (a person or an autonomous agent), or an agent of the owner's own. An agent of somebody
 * else's is reached through that user: an agent's id is unique only among the agents of its user.
 */
export const accessControlSchema = z
  .strictObject({
    read: members.describe('Who may read, besides its owner and those who may write.'),
    write: members.describe('Who may read and write.'),
    publicRead: z.boolean().describe('Whether everyone of the tenant may read.'),
  })
  .describe('Who besides its owner may read and write it.');

export type AccessControl = z.output<typeof accessControlSchema>;

/** As a caller writes it: as a whole. Whom it does not name, it does not let in. */
export const accessInputSchema = accessControlSchema
  .partial()
  .describe('Who besides its owner may read and write it. What is left out lets nobody in.');

export type AccessInput = z.output<typeof accessInputSchema>;

/** Each id once, on its highest level. */
export function accessOf({ read = [], write = [], publicRead = false }: AccessInput): AccessControl {
  const writers = new Set(write);
  return { read: [...new Set(read)].filter((id) => !writers.has(id)), write: [...writers], publicRead };
}

/** What is shared by an access list. */
export interface Shared {
  readonly ownerId: string;
  /** The agent of the owner to whom it belongs, where it is one agent's. */
  readonly agentId?: string | undefined;
  readonly access: AccessControl;
  /** The run of a workflow whose it is: whoever can name that run takes part in it. */
  readonly workflowRunId?: string | undefined;
}

/** Throws `LIMIT_EXCEEDED` for too much of what a pool or a context carries with it: it is for telling them apart, not for what is in them. */
export function assertMetadata(metadata: unknown, limits: Limits): void {
  if (metadata === undefined) return;
  const bytes = new TextEncoder().encode(JSON.stringify(metadata)).length;
  assertWithin('LIMIT_EXCEEDED', 'The metadata', bytes, limits.metadataBytes, 'bytes');
}

/** Everyone of the tenant, in a list of members. */
const EVERYONE = '';

/** Its owner's; of an agent's own only that agent's, or its user's where no agent is asking. */
export function ownsShared(principal: Principal, { ownerId, agentId }: Shared): boolean {
  return ownerId === principal.userId && (principal.agentId === undefined || principal.agentId === agentId);
}

export function mayAccess(principal: Principal, shared: Shared, level: AccessLevel): boolean {
  if (ownsShared(principal, shared) || shared.workflowRunId !== undefined) return true;
  const { read, write, publicRead } = shared.access;
  if (isNamed(principal, shared, write)) return true;
  return level === 'read' && (publicRead || isNamed(principal, shared, read));
}

/** By what right somebody may read it: as its owner, named in a list or an agent of its owner's, or like everyone. */
export type Standing = 'owner' | 'member' | 'everyone';

/** The best right that the principal has; null for none. */
export function standingOf(principal: Principal, shared: Shared): Standing | null {
  if (ownsShared(principal, shared)) return 'owner';
  if (!mayAccess(principal, shared, 'read')) return null;
  const { read, write } = shared.access;
  const isMember = shared.ownerId === principal.userId || isNamed(principal, shared, [...read, ...write]);
  return isMember ? 'member' : 'everyone';
}

function isNamed({ userId, agentId }: Principal, { ownerId }: Shared, list: readonly string[]): boolean {
  // The owner's agents are named one by one, never all of them by the owner's own id.
  if (userId === ownerId) return agentId !== undefined && list.includes(agentId);
  return list.includes(userId);
}

/** Whether an id, be it of a user or of an agent of the owner's, gives access. */
function isAccessibleBy(
  { tenantId }: Pick<Principal, 'tenantId'>,
  shared: Shared,
  id: string,
  level: AccessLevel,
): boolean {
  const [user, agent] = [{ userId: id }, { userId: shared.ownerId, agentId: id }];
  return [user, agent].some((each) => mayAccess({ tenantId, ...each }, shared, level));
}

/** Whether an id of the lists is that of whoever is asking. */
function isOwnId({ userId, agentId }: Principal, { ownerId }: Shared, id: string): boolean {
  return id === (userId === ownerId ? agentId : userId);
}

/** As callers see it. Who else has access is the owner's to know; others see of the lists what is about themselves. */
export function sharedShown<R extends Shared & { readonly members: readonly string[] }>(
  principal: Principal,
  { members: _members, ...record }: R,
): Omit<R, 'members'> {
  const { access } = record;
  if (ownsShared(principal, record)) return record;
  const isOwn = (id: string): boolean => isOwnId(principal, record, id);
  return { ...record, access: { ...access, read: access.read.filter(isOwn), write: access.write.filter(isOwn) } };
}

export interface Accessibility {
  readonly accessible: boolean;
  readonly read: boolean;
  readonly write: boolean;
}

/** What an id may do. Throws `FORBIDDEN` where somebody other than the owner asks about others than themselves. */
export function accessibilityOf(principal: Principal, shared: Shared, id: string): Accessibility {
  if (!ownsShared(principal, shared) && !isOwnId(principal, shared, id)) {
    throw new LaminaError('FORBIDDEN', 'Who else has access is for the owner to know. You can ask about yourself.');
  }
  const [read, write] = [isAccessibleBy(principal, shared, id, 'read'), isAccessibleBy(principal, shared, id, 'write')];
  return { accessible: read, read, write };
}

/** Whom the database lets see it besides its owner: the ids of the lists, and the empty id for everyone. */
export function membersOf({ read, write, publicRead }: AccessControl): string[] {
  return [...new Set([...(publicRead ? [EVERYONE] : []), ...read, ...write])];
}

/** The lists with this id on that level, and on no other. Throws `LIMIT_EXCEEDED` when they get too long. */
export function granted(access: AccessControl, id: string, level: AccessLevel): AccessControl {
  const others = revoked(access, id);
  assertWithin('LIMIT_EXCEEDED', `The list of who may ${level}`, others[level].length + 1, MAX_MEMBERS, 'ids');
  return { ...others, [level]: [...others[level], id] };
}

/** The lists without this id. */
export function revoked({ read, write, publicRead }: AccessControl, id: string): AccessControl {
  return { read: read.filter((each) => each !== id), write: write.filter((each) => each !== id), publicRead };
}

/**
 * The principal to whom what lies inside belongs: whoever may access it acts in its owner's name, and there only. The
 * database keeps it to that owner.
 */
export function ownerPrincipal({ tenantId }: Pick<Principal, 'tenantId'>, { ownerId, agentId }: Shared): Principal {
  return { tenantId, userId: ownerId, ...(agentId !== undefined && { agentId }) };
}
