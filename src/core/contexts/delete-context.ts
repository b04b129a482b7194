/** Deleting a context with all that it holds. */

import type { ContextVersionInput } from '../../domain/context.ts';
import type { Principal } from '../../domain/principal.ts';
import type { Dependencies } from '../dependencies.ts';
import { assertVersion, isoAt } from '../records/record.ts';
import { clearContext } from './clear-context.ts';
import { assertManages, openContext } from './open-context.ts';

/**
 * First it is closed for writing, then emptied, then deleted, so that an interrupted call can be repeated. A write that
 * began before finds it gone and is undone: see `visit.ts`.
 */
export async function deleteContext(
  dependencies: Dependencies,
  principal: Principal,
  { contextId, ifVersion }: ContextVersionInput,
): Promise<boolean> {
  const { contexts } = dependencies.records;
  const place = await openContext(dependencies, principal, contextId, 'manage');
  if (place === null) return false;
  const closed = await contexts.change(principal, contextId, (current) => {
    assertManages(principal, current);
    assertVersion(current, ifVersion);
    return { ...current, status: 'archived', updatedAt: isoAt(dependencies.clock.now()) };
  });
  if (closed === null) return false;
  await clearContext(dependencies, place);
  const removed = await contexts.remove(principal, contextId);
  await clearContext(dependencies, place);
  return removed !== null;
}
