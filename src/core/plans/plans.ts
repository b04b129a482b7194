/** Plans: goals that somebody pursues, each seen and changed by its user only. */

import { LaminaError, invalidField } from '../../domain/error.ts';
import {
  ACTIVE_PLAN_STATUSES,
  isFinished,
  type CreatePlanInput,
  type DeletePlanInput,
  type ListPlansInput,
  type ListPlansOutput,
  type Plan,
  type UpdatePlanInput,
} from '../../domain/plan.ts';
import type { Principal } from '../../domain/principal.ts';
import type { Dependencies } from '../dependencies.ts';
import { recordPage } from '../records/page.ts';
import { assertSize, assertVersion, isoAt, merged, orAbsent, taken } from '../records/record.ts';
import { cleanUpPlan } from './clean-up.ts';

export interface Plans {
  /** Throws `VERSION_CONFLICT` when the id is taken. */
  create(principal: Principal, input: CreatePlanInput): Promise<Plan>;
  get(principal: Principal, planId: string): Promise<Plan | null>;
  list(principal: Principal, input: ListPlansInput): Promise<ListPlansOutput>;
  /** Throws `NOT_FOUND`, or `VERSION_CONFLICT` for a stale version and for a move out of a finished status. */
  update(principal: Principal, input: UpdatePlanInput): Promise<Plan>;
  /** False when it was not there. */
  delete(principal: Principal, input: DeletePlanInput): Promise<boolean>;
}

const UNFINISHED = 'goes with a status that finishes the plan: completed, failed or cancelled';

export function createPlans(dependencies: Dependencies): Plans {
  const { plans } = dependencies.records;
  return {
    create: (principal, input) => create(dependencies, principal, input),
    get: (principal, planId) => plans.get(principal, planId),
    list: (principal, input) => list(dependencies, principal, input),
    update: (principal, input) => update(dependencies, principal, input),
    delete: (principal, input) => remove(dependencies, principal, input),
  };
}

async function create(dependencies: Dependencies, principal: Principal, input: CreatePlanInput): Promise<Plan> {
  const { records, clock, ids, limits } = dependencies;
  assertSize('goalData', input.goalData, limits);
  assertSize('state', input.state, limits);
  const now = isoAt(clock.now());
  const planId = input.planId ?? ids.next();
  const { goalData = {}, state = {}, status = 'running' } = input;
  const draft = { ...input, planId, userId: principal.userId, goalData, state, status, createdAt: now, updatedAt: now };
  const plan = await records.plans.create(principal, draft);
  if (plan === null) throw taken('plan', planId);
  return plan;
}

async function list(
  { records }: Dependencies,
  principal: Principal,
  { status, sessionId, limit, cursor }: ListPlansInput,
): Promise<ListPlansOutput> {
  const statuses = status === 'active' ? ACTIVE_PLAN_STATUSES : status === undefined ? undefined : [status];
  const page = await recordPage(records.plans, principal, {
    list: 'plans',
    where: { ...(statuses && { status: statuses }), ...(sessionId !== undefined && { sessionId: [sessionId] }) },
    limit,
    cursor,
    place: (plan) => [plan.createdAt, plan.planId],
  });
  return { plans: page.items, count: page.items.length, nextCursor: page.nextCursor };
}

async function update(dependencies: Dependencies, principal: Principal, input: UpdatePlanInput): Promise<Plan> {
  const { records, clock, limits } = dependencies;
  const { planId, ifVersion, cascade = false, ...fields } = input;
  assertSize('goalData', fields.goalData, limits);
  assertSize('state', fields.state, limits);
  const changed = await records.plans.change(principal, planId, (current) => {
    assertVersion(current, ifVersion);
    const next = merged(current, fields);
    assertMove(current, next);
    if (cascade && !isFinished(next.status)) throw invalidField('cascade', UNFINISHED);
    return { ...next, updatedAt: isoAt(clock.now()) };
  });
  const plan = orAbsent('plan', changed);
  // After the change: one that is refused must clean up nothing. Where this is cut short, the call can be repeated.
  if (cascade) await cleanUpPlan(dependencies, principal, planId);
  return plan;
}

/** Finished is final, so that of two callers who finish a plan in different ways only one succeeds. */
function assertMove(current: Plan, next: Plan): void {
  if (!isFinished(current.status) || current.status === next.status) return;
  throw new LaminaError(
    'VERSION_CONFLICT',
    `The plan is ${current.status}, which is final; it cannot become ${next.status}. Make a new plan instead.`,
    { details: { status: current.status } },
  );
}

async function remove(
  dependencies: Dependencies,
  principal: Principal,
  { planId, cascade = false }: DeletePlanInput,
): Promise<boolean> {
  const { plans } = dependencies.records;
  if (cascade) {
    // Only callers who can see the plan may clean up after it; the plan is deleted last, so that the call can be repeated.
    if ((await plans.get(principal, planId)) === null) return false;
    await cleanUpPlan(dependencies, principal, planId);
  }
  return (await plans.remove(principal, planId)) !== null;
}
