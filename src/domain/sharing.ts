/** Access lists of pools and contexts: who besides their owner may read and write them. */

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
 * An id in a list names a user (a person or an autonomous agent), or one of the owner's agents. Another user's agent is
 * granted access through that user: an agent's id is unique only among the agents of its user.
 */
export const accessControlSchema = z
  .strictObject({
    read: members.describe('Who may read, besides its owner and those who may write.'),
    write: members.describe('Who may read and write.'),
    publicRead: z.boolean().describe('Whether everyone in the tenant may read.'),
  })
  .describe('Who besides its owner may read and write it.');

export type AccessControl = z.output<typeof accessControlSchema>;

/** As a caller writes it, always the whole list: anyone not named has no access. */
export const accessInputSchema = accessControlSchema
  .partial()
  .describe('Who besides its owner may read and write it. Omitted fields grant nothing.');

export type AccessInput = z.output<typeof accessInputSchema>;

/** Each id once, on its highest level. */
export function accessOf({ read = [], write = [], publicRead = false }: AccessInput): AccessControl {
  const writers = new Set(write);
  return { read: [...new Set(read)].filter((id) => !writers.has(id)), write: [...writers], publicRead };
}

/** Something shared by an access list. */
export interface Shared {
  readonly ownerId: string;
  /** The agent of the owner that it belongs to, if any. */
  readonly agentId?: string | undefined;
  readonly access: AccessControl;
  /** The workflow run that it belongs to: whoever can name that run has access. */
  readonly workflowRunId?: string | undefined;
}

/** Throws `LIMIT_EXCEEDED` if the metadata of a pool or context is too large: it is a description, not a place for content. */
export function assertMetadata(metadata: unknown, limits: Limits): void {
  if (metadata === undefined) return;
  const bytes = new TextEncoder().encode(JSON.stringify(metadata)).length;
  assertWithin('LIMIT_EXCEEDED', 'The metadata', bytes, limits.metadataBytes, 'bytes');
}

/** Everyone in the tenant, in a list of members. */
const EVERYONE = '';

/** Whether the principal owns it; if it belongs to an agent, only that agent does, or its user without an agent. */
export function ownsShared(principal: Principal, { ownerId, agentId }: Shared): boolean {
  return ownerId === principal.userId && (principal.agentId === undefined || principal.agentId === agentId);
}

export function mayAccess(principal: Principal, shared: Shared, level: AccessLevel): boolean {
  if (ownsShared(principal, shared) || shared.workflowRunId !== undefined) return true;
  const { read, write, publicRead } = shared.access;
  if (isNamed(principal, shared, write)) return true;
  return level === 'read' && (publicRead || isNamed(principal, shared, read));
}

/** By what right somebody may read it: as its owner, as a member or agent of the owner, or like everyone. */
export type Standing = 'owner' | 'member' | 'everyone';

/** The strongest right of the principal; null for none. */
export function standingOf(principal: Principal, shared: Shared): Standing | null {
  if (ownsShared(principal, shared)) return 'owner';
  if (!mayAccess(principal, shared, 'read')) return null;
  const { read, write } = shared.access;
  const isMember = shared.ownerId === principal.userId || isNamed(principal, shared, [...read, ...write]);
  return isMember ? 'member' : 'everyone';
}

function isNamed({ userId, agentId }: Principal, { ownerId }: Shared, list: readonly string[]): boolean {
  // The owner's agents must be named one by one; the owner's own id does not cover them.
  if (userId === ownerId) return agentId !== undefined && list.includes(agentId);
  return list.includes(userId);
}

/** Whether an id, of a user or of one of the owner's agents, has access. */
function isAccessibleBy(
  { tenantId }: Pick<Principal, 'tenantId'>,
  shared: Shared,
  id: string,
  level: AccessLevel,
): boolean {
  const [user, agent] = [{ userId: id }, { userId: shared.ownerId, agentId: id }];
  return [user, agent].some((each) => mayAccess({ tenantId, ...each }, shared, level));
}

/** Whether an id of the lists is that of the caller. */
function isOwnId({ userId, agentId }: Principal, { ownerId }: Shared, id: string): boolean {
  return id === (userId === ownerId ? agentId : userId);
}

/** As callers see it. Only the owner sees who else has access; others see only themselves in the lists. */
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

/** What an id may do. Throws `FORBIDDEN` if anyone but the owner asks about somebody else. */
export function accessibilityOf(principal: Principal, shared: Shared, id: string): Accessibility {
  if (!ownsShared(principal, shared) && !isOwnId(principal, shared, id)) {
    throw new LaminaError('FORBIDDEN', 'Who else has access is for the owner to know. You can ask about yourself.');
  }
  const [read, write] = [isAccessibleBy(principal, shared, id, 'read'), isAccessibleBy(principal, shared, id, 'write')];
  return { accessible: read, read, write };
}

/** Who besides the owner may see it in the database: the ids of the lists, and the empty id for everyone. */
export function membersOf({ read, write, publicRead }: AccessControl): string[] {
  return [...new Set([...(publicRead ? [EVERYONE] : []), ...read, ...write])];
}

/** The lists with this id on that level only. Throws `LIMIT_EXCEEDED` if they get too long. */
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
 * The principal that its content belongs to: whoever has access acts as its owner, only there. The database restricts that
 * principal to the owner's rows.
 */
export function ownerPrincipal({ tenantId }: Pick<Principal, 'tenantId'>, { ownerId, agentId }: Shared): Principal {
  return { tenantId, userId: ownerId, ...(agentId !== undefined && { agentId }) };
}
