/** Plan contexts: the state machines of planners, kept across the events that move them. The tenant's. */

import type { PlanContext, SavePlanContextInput, UpdatePlanContextInput } from '../../domain/plan-context.ts';
import type { Principal } from '../../domain/principal.ts';
import type { Dependencies } from '../dependencies.ts';
import { assertCount, assertSize, assertVersion, isoAt, merged, orAbsent, put, unique } from '../records/record.ts';
import { assertKnownState } from './state-machine.ts';

export interface PlanContexts {
  /** Stores it, or puts it in the place of what the plan had. */
  save(principal: Principal, input: SavePlanContextInput): Promise<PlanContext>;
  get(principal: Principal, planId: string): Promise<PlanContext | null>;
  /** The context whose plan has this id, else the one that lists it among its correlation ids. */
  byCorrelation(principal: Principal, correlationId: string): Promise<PlanContext | null>;
  /** Throws `NOT_FOUND`, `VERSION_CONFLICT`, or `VALIDATION_FAILED` for a state that the machine does not have. */
  update(principal: Principal, input: UpdatePlanContextInput): Promise<PlanContext>;
  /** False when it was not there. */
  delete(principal: Principal, planId: string): Promise<boolean>;
}

export function createPlanContexts(dependencies: Dependencies): PlanContexts {
  const { planContexts } = dependencies.records;
  return {
    save: (principal, input) => save(dependencies, principal, input),
    get: (principal, planId) => planContexts.get(principal, planId),
    byCorrelation: async (principal, correlationId) =>
      (await planContexts.get(principal, correlationId)) ?? (await planContexts.findByLink(principal, correlationId)),
    update: (principal, input) => update(dependencies, principal, input),
    delete: async (principal, planId) => (await planContexts.remove(principal, planId)) !== null,
  };
}

function assertFits({ limits }: Dependencies, input: SavePlanContextInput | UpdatePlanContextInput): void {
  assertSize('goalData', input.goalData, limits);
  assertSize('state', input.state, limits);
  assertCount('correlationIds', input.correlationIds, limits);
}

async function save(
  dependencies: Dependencies,
  principal: Principal,
  input: SavePlanContextInput,
): Promise<PlanContext> {
  assertFits(dependencies, input);
  const { goalData = {}, state = {}, correlationIds = [] } = input;
  assertKnownState({ state, currentState: input.currentState });
  const now = isoAt(dependencies.clock.now());
  const draft = { ...input, goalData, state, correlationIds: unique(correlationIds), createdAt: now, updatedAt: now };
  return put(dependencies.records.planContexts, principal, input.planId, draft);
}

async function update(
  dependencies: Dependencies,
  principal: Principal,
  input: UpdatePlanContextInput,
): Promise<PlanContext> {
  assertFits(dependencies, input);
  const { planId, ifVersion, ...fields } = input;
  const { clock, records } = dependencies;
  const changed = await records.planContexts.change(principal, planId, (current) => {
    assertVersion(current, ifVersion);
    const next = merged(current, { ...fields, correlationIds: fields.correlationIds && unique(fields.correlationIds) });
    if (fields.state !== undefined || fields.currentState !== undefined) assertKnownState(next);
    return { ...next, updatedAt: isoAt(clock.now()) };
  });
  return orAbsent('plan context', changed);
}
