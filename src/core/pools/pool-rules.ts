/** What a pool may be told of who may use it and of its end. */

import { invalidField } from '../../domain/error.ts';
import { utc, isoAt } from '../records/record.ts';
import type { Pool } from '../../domain/pool.ts';
import { membersOf, type AccessControl } from '../../domain/sharing.ts';

type Kind = Pick<Pool, 'type' | 'workflowRunId'>;

/** Throws `VALIDATION_FAILED` where such a pool cannot be shared by a list. */
export function assertShareable({ type, workflowRunId }: Kind, field: string): void {
  if (type === 'agent_private') throw invalidField(field, 'an agent_private pool is for its agent alone');
  if (workflowRunId !== undefined)
    throw invalidField(field, 'a pool of a workflow is for all who take part in its run');
}

/** Throws `VALIDATION_FAILED` when the list lets somebody in who cannot be. */
export function assertAccess({ type }: Kind, access: AccessControl): void {
  if (type === 'agent_private' && membersOf(access).length > 0) assertShareable({ type }, 'access');
}

interface End {
  readonly expiresAt?: string | undefined;
  readonly ttlSeconds?: number | undefined;
}

/** When it will be over; undefined where nothing is said. Throws `VALIDATION_FAILED` for a time that is over. */
export function expiryOf(now: number, { expiresAt, ttlSeconds }: End): string | undefined {
  if (ttlSeconds !== undefined) {
    if (expiresAt !== undefined)
      throw invalidField('ttlSeconds', 'does not go with a time at which it ends: say one of the two');
    return isoAt(now + ttlSeconds * 1000);
  }
  if (expiresAt !== undefined && Date.parse(expiresAt) <= now) throw invalidField('expiresAt', 'is over already');
  return expiresAt === undefined ? undefined : utc(expiresAt);
}
