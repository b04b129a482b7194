/** A model of who may use a pool: as simple as can be said, to hold the real thing against. */

import type { PrincipalInput } from '../domain/principal.ts';
import type { AccessLevel } from '../domain/sharing.ts';

/** Users with their agents; some agents have the name of a user, which must not confuse anybody. */
export const PRINCIPALS: readonly PrincipalInput[] = [
  { userId: 'alice' },
  { userId: 'alice', agentId: 'x' },
  { userId: 'alice', agentId: 'bob' },
  { userId: 'bob' },
  { userId: 'bob', agentId: 'x' },
  { userId: 'bob', agentId: 'alice' },
  { userId: 'carol' },
  { userId: 'carol', agentId: 'y' },
];

export interface Access {
  readonly read: string[];
  readonly write: string[];
  readonly publicRead: boolean;
}

export class PoolModel {
  readonly owner: PrincipalInput;
  readonly isPrivate: boolean;
  readonly values = new Map<string, unknown>();
  readonly grants = new Map<string, AccessLevel>();
  #isPublic = false;

  constructor(owner: PrincipalInput, isPrivate: boolean, access: Access) {
    this.owner = owner;
    this.isPrivate = isPrivate;
    this.share(access);
  }

  /** As a whole: whom it does not name, it does not let in. */
  share({ read, write, publicRead }: Access): void {
    this.grants.clear();
    for (const id of read) this.grants.set(id, 'read');
    for (const id of write) this.grants.set(id, 'write');
    this.#isPublic = publicRead;
  }

  isOwnedBy({ userId, agentId }: PrincipalInput): boolean {
    return userId === this.owner.userId && (agentId === undefined || agentId === this.owner.agentId);
  }

  /** By which name the lists have it: a user by its own, an agent of the owner's by that of the agent. */
  nameOf({ userId, agentId }: PrincipalInput): string | undefined {
    return userId === this.owner.userId ? agentId : userId;
  }

  #level(who: PrincipalInput): AccessLevel | undefined {
    const id = this.nameOf(who);
    return id === undefined ? undefined : this.grants.get(id);
  }

  isWritableBy(who: PrincipalInput): boolean {
    return this.isOwnedBy(who) || this.#level(who) === 'write';
  }

  isReadableBy(who: PrincipalInput): boolean {
    return this.isWritableBy(who) || this.#isPublic || this.#level(who) === 'read';
  }

  /** What a change by somebody must come to: nothing but success, or this code. */
  refusal(who: PrincipalInput, isAllowed: boolean): 'NOT_FOUND' | 'FORBIDDEN' | undefined {
    if (!this.isReadableBy(who)) return 'NOT_FOUND';
    return isAllowed ? undefined : 'FORBIDDEN';
  }
}
