/** Removing what a plan or a session leaves behind, on request. */

import type { Principal } from '../../domain/principal.ts';
import type { Dependencies } from '../dependencies.ts';
import { workingNamespace } from '../../domain/namespace.ts';
import { endWorkflow } from '../pools/workflows.ts';

const BATCH = 100;

/** The plan's working memory, pools, task contexts and plan context; not the plan itself. Can be repeated at any time. */
export async function cleanUpPlan(dependencies: Dependencies, principal: Principal, planId: string): Promise<void> {
  const { records } = dependencies;
  await endWorkflow(dependencies, principal, planId);
  await records.taskContexts.removeAll(principal, { planId: [planId] });
  await records.planContexts.remove(principal, planId);
}

/** The working memory of the principal's own plans in the session; the plans and all that tells of them stay. */
export async function clearSession(
  { hot, records }: Dependencies,
  principal: Principal,
  sessionId: string,
): Promise<void> {
  const where = { sessionId: [sessionId] };
  let after: { at: string; key: string } | undefined;
  for (;;) {
    const own = await records.plans.list(principal, { where, limit: BATCH, after });
    for (const { planId } of own) await hot.clear(principal, workingNamespace(planId));
    const last = own.at(-1);
    if (last === undefined || own.length < BATCH) return;
    after = { at: last.createdAt, key: last.planId };
  }
}

/**
 * The principal's own plans in the session with everything that belongs to them. Plan contexts belong to the tenant: one
 * that names the session but no plan of the principal's may serve a plan of somebody else, so it is left alone.
 */
export async function cleanUpSession(
  dependencies: Dependencies,
  principal: Principal,
  sessionId: string,
): Promise<void> {
  const { plans } = dependencies.records;
  for (;;) {
    const own = await plans.list(principal, { where: { sessionId: [sessionId] }, limit: BATCH });
    if (own.length === 0) return;
    for (const { planId } of own) {
      await cleanUpPlan(dependencies, principal, planId);
      await plans.remove(principal, planId);
    }
  }
}
