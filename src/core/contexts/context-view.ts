/** A context as somebody sees it. */

import type { Context, ContextRecord } from '../../domain/context.ts';
import type { Principal } from '../../domain/principal.ts';
import { ownsShared } from '../../domain/sharing.ts';

/** Who else has access is the owner's to know; others see of the lists what is about themselves. */
export function contextShown(principal: Principal, record: ContextRecord): Context {
  const { members: _members, ...context } = record;
  if (ownsShared(principal, record)) return context;
  const { userId, agentId } = principal;
  const isOwn = (id: string): boolean => id === (userId === record.ownerId ? agentId : userId);
  const { read, write, publicRead } = context.access;
  return { ...context, access: { read: read.filter(isOwn), write: write.filter(isOwn), publicRead } };
}
