/** Binds the use cases to what they need. */

import { createAgentMemory } from './agent-memory/agent-memory.ts';
import { createAdministration } from './admin/administration.ts';
import { createKeys } from './admin/keys.ts';
import { createBundles } from './bundle/bundles.ts';
import { createContextEntries } from './contexts/context-entries.ts';
import { createContextSnapshots } from './contexts/context-snapshots.ts';
import { createContexts } from './contexts/contexts.ts';
import { get, list, versions } from './browse/browse.ts';
import type { Core } from './core.ts';
import { createPlanContexts } from './plans/plan-contexts.ts';
import { createPlans } from './plans/plans.ts';
import { createPools } from './pools/pools.ts';
import { createWorkflows } from './pools/workflows.ts';
import { isOutsideContexts } from './scoping.ts';
import { createSessions } from './sessions/sessions.ts';
import { createTasks } from './tasks/tasks.ts';
import type { Dependencies } from './dependencies.ts';
import { createEpisodic } from './episodic/episodic.ts';
import { createEvents } from './events/events.ts';
import { remember } from './extraction/remember.ts';
import { createFacts } from './facts/facts.ts';
import { createInspection } from './inspection/inspection.ts';
import { createItems } from './items/items.ts';
import { forget, remove } from './forget/forget.ts';
import { setArchived } from './lifecycle/archive.ts';
import { createKnowledge } from './knowledge/sync-knowledge.ts';
import { promote } from './lifecycle/promote.ts';
import { createMaintenance } from './maintenance/maintenance.ts';
import { createOpenSpec } from './openspec/openspec.ts';
import { createProcedural } from './procedural/procedural.ts';
import { createReceipts } from './receipts/receipts.ts';
import { search } from './recall/search.ts';
import { createRouter } from './router/router.ts';
import { createShortTerm } from './short-term/short-term.ts';
import { addMany, addOne } from './remember/add.ts';
import { update } from './remember/update.ts';
import { createSemantic } from './semantic/semantic.ts';
import { createQuarantineReview } from './trust/quarantine.ts';
import { turnContext } from './turn/turn-context.ts';
import { createWorking } from './working/working.ts';

export function createCore(dependencies: Dependencies): Core {
  const agentMemory = createAgentMemory(dependencies);
  const shortTerm = createShortTerm(dependencies);
  const pools = createPools(dependencies);
  return {
    add: (principal, input) => addOne(dependencies, principal, input),
    addMany: (principal, inputs) => addMany(dependencies, principal, inputs, true),
    search: (principal, input) => search(dependencies, principal, input),
    list: (principal, input) => list(dependencies, principal, input),
    get: (principal, input) => get(dependencies, principal, input, isOutsideContexts),
    update: (principal, input) => update(dependencies, principal, input, isOutsideContexts),
    archive: (principal, input) =>
      setArchived(dependencies, principal, { ...input, isArchived: true }, isOutsideContexts),
    restore: (principal, input) =>
      setArchived(dependencies, principal, { ...input, isArchived: false }, isOutsideContexts),
    promote: (principal, input) => promote(dependencies, principal, input),
    delete: (principal, input) => remove(dependencies, principal, input, isOutsideContexts),
    forget: (principal, input) => forget(dependencies, principal, input),
    versions: (principal, input) => versions(dependencies, principal, input, isOutsideContexts),
    turnContext: (principal, input) => turnContext(dependencies, principal, input),
    remember: (principal, input) => remember(dependencies, principal, input),
    tasks: createTasks(dependencies),
    plans: createPlans(dependencies),
    planContexts: createPlanContexts(dependencies),
    sessions: createSessions(dependencies),
    semantic: createSemantic(dependencies),
    episodic: createEpisodic(dependencies),
    items: createItems(dependencies),
    procedural: createProcedural(dependencies),
    working: createWorking(dependencies),
    agentMemory,
    shortTerm,
    router: createRouter(dependencies, { agentMemory, shortTerm, pools }),
    pools,
    workflows: createWorkflows(dependencies),
    events: createEvents(dependencies),
    facts: createFacts(dependencies),
    keys: createKeys(dependencies),
    admin: createAdministration(dependencies),
    bundles: createBundles(dependencies),
    contexts: createContexts(dependencies),
    contextEntries: createContextEntries(dependencies),
    contextSnapshots: createContextSnapshots(dependencies),
    maintenance: createMaintenance(dependencies),
    knowledge: createKnowledge(dependencies),
    openspec: createOpenSpec(dependencies),
    quarantine: createQuarantineReview(dependencies),
    receipts: createReceipts(dependencies),
    inspection: createInspection(dependencies),
  };
}
