/** A context as somebody sees it. */

import type { Context, ContextRecord } from '../../domain/context.ts';
import type { Principal } from '../../domain/principal.ts';
import { sharedShown } from '../../domain/sharing.ts';

export function contextShown(principal: Principal, record: ContextRecord): Context {
  return sharedShown(principal, record);
}
