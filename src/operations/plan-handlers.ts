/** What the operations on plans and plan contexts do, in terms of the core. */

import type { Handlers } from './handler.ts';
import type { planOperations } from './plan-operations.ts';

export const planHandlers: Handlers<typeof planOperations> = {
  'plans.create': (core, principal, input) => core.plans.create(principal, input),
  'plans.list': (core, principal, input) => core.plans.list(principal, input),
  'plans.get': (core, principal, input) => core.plans.get(principal, input.planId),
  'plans.update': (core, principal, input) => core.plans.update(principal, input),
  'plans.delete': async (core, principal, input) => ({ success: await core.plans.delete(principal, input) }),
  'planContexts.save': (core, principal, input) => core.planContexts.save(principal, input),
  'planContexts.get': (core, principal, input) => core.planContexts.get(principal, input.planId),
  'planContexts.byCorrelation': (core, principal, input) =>
    core.planContexts.byCorrelation(principal, input.correlationId),
  'planContexts.update': (core, principal, input) => core.planContexts.update(principal, input),
  'planContexts.delete': async (core, principal, input) => ({
    success: await core.planContexts.delete(principal, input.planId),
  }),
};
