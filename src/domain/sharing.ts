/** Access lists of pools and contexts: who besides their owner reads and writes them. */

import { z } from 'zod';
import { identifier } from './entry.ts';
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

/** What is shared by an access list. */
export interface Shared {
  readonly ownerId: string;
  /** The agent of the owner to whom it belongs, where it is one agent's. */
  readonly agentId?: string | undefined;
  readonly access: AccessControl;
}

/** Everyone of the tenant, in a list of members. */
const EVERYONE = '';

/** Its owner's; of an agent's own only that agent's, or its user's where no agent is asking. */
export function ownsShared(principal: Principal, { ownerId, agentId }: Shared): boolean {
  return ownerId === principal.userId && (principal.agentId === undefined || principal.agentId === agentId);
}

export function mayAccess(principal: Principal, shared: Shared, level: AccessLevel): boolean {
  if (ownsShared(principal, shared)) return true;
  const { read, write, publicRead } = shared.access;
  if (isNamed(principal, shared, write)) return true;
  return level === 'read' && (publicRead || isNamed(principal, shared, read));
}

function isNamed({ userId, agentId }: Principal, { ownerId }: Shared, list: readonly string[]): boolean {
  // The owner's agents are named one by one, never all of them by the owner's own id.
  if (userId === ownerId) return agentId !== undefined && list.includes(agentId);
  return list.includes(userId);
}

/** Whom the database lets see it besides its owner: the ids of the lists, and the empty id for everyone. */
export function membersOf({ read, write, publicRead }: AccessControl): string[] {
  return [...new Set([...(publicRead ? [EVERYONE] : []), ...read, ...write])];
}

/** The lists with this id on that level, and on no other. */
export function granted(access: AccessControl, id: string, level: AccessLevel): AccessControl {
  const { read, write, publicRead } = revoked(access, id);
  return level === 'read' ? { read: [...read, id], write, publicRead } : { read, write: [...write, id], publicRead };
}

/** The lists without this id. */
export function revoked({ read, write, publicRead }: AccessControl, id: string): AccessControl {
  return { read: read.filter((each) => each !== id), write: write.filter((each) => each !== id), publicRead };
}

/**
 * The principal to whom what lies inside belongs: whoever may access it acts in its owner's name, and there only. The
 * database keeps it to that owner.
 */
export function ownerPrincipal({ tenantId }: Principal, { ownerId, agentId }: Shared): Principal {
  return { tenantId, userId: ownerId, ...(agentId !== undefined && { agentId }) };
}
