/** Removing what a plan or a session leaves behind, where it is asked for. */

import type { Principal } from '../../domain/principal.ts';
import type { Dependencies } from '../dependencies.ts';
import { workingNamespace } from '../working/namespace.ts';

const BATCH = 100;

/** The plan's working memory, task contexts and plan context; not the plan itself. Can be repeated at any time. */
export async function cleanUpPlan(
  { state, records }: Dependencies,
  principal: Principal,
  planId: string,
): Promise<void> {
  await state.clear(principal, workingNamespace(planId));
  await records.taskContexts.removeAll(principal, { planId: [planId] });
  // Last, because it is what leads from a session to the rest: what is cut short can be taken up again.
  await records.planContexts.remove(principal, planId);
}

/**
 * The principal's plans in the session with all that is theirs, and the plan contexts that name the session, whose plan
 * may never have been recorded as such.
 */
export async function cleanUpSession(
  dependencies: Dependencies,
  principal: Principal,
  sessionId: string,
): Promise<void> {
  const { plans, planContexts } = dependencies.records;
  const query = { where: { sessionId: [sessionId] }, limit: BATCH };
  for (;;) {
    const own = await plans.list(principal, query);
    for (const { planId } of own) {
      await cleanUpPlan(dependencies, principal, planId);
      await plans.remove(principal, planId);
    }
    const contexts = await planContexts.list(principal, query);
    for (const { planId } of contexts) await cleanUpPlan(dependencies, principal, planId);
    if (own.length + contexts.length === 0) return;
  }
}
