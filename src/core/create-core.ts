/** Binds the use cases to what they need. */

import { createAdministration } from './admin/administration.ts';
import { createKeys } from './admin/keys.ts';
import { get, list, versions } from './browse/browse.ts';
import type { Core } from './core.ts';
import { createPlanContexts } from './plans/plan-contexts.ts';
import { createPlans } from './plans/plans.ts';
import { createSessions } from './sessions/sessions.ts';
import { createTasks } from './tasks/tasks.ts';
import type { Dependencies } from './dependencies.ts';
import { createEpisodic } from './episodic/episodic.ts';
import { createEvents } from './events/events.ts';
import { forget, remove } from './forget/forget.ts';
import { createProcedural } from './procedural/procedural.ts';
import { search } from './recall/search.ts';
import { addMany, addOne } from './remember/add.ts';
import { update } from './remember/update.ts';
import { createSemantic } from './semantic/semantic.ts';
import { createWorking } from './working/working.ts';

export function createCore(dependencies: Dependencies): Core {
  return {
    add: (principal, input) => addOne(dependencies, principal, input),
    addMany: (principal, inputs) => addMany(dependencies, principal, inputs),
    search: (principal, input) => search(dependencies, principal, input),
    list: (principal, input) => list(dependencies, principal, input),
    get: (principal, input) => get(dependencies, principal, input),
    update: (principal, input) => update(dependencies, principal, input),
    delete: (principal, input) => remove(dependencies, principal, input),
    forget: (principal, input) => forget(dependencies, principal, input),
    versions: (principal, id) => versions(dependencies, principal, id),
    tasks: createTasks(dependencies),
    plans: createPlans(dependencies),
    planContexts: createPlanContexts(dependencies),
    sessions: createSessions(dependencies),
    semantic: createSemantic(dependencies),
    episodic: createEpisodic(dependencies),
    procedural: createProcedural(dependencies),
    working: createWorking(dependencies),
    events: createEvents(dependencies),
    keys: createKeys(dependencies),
    admin: createAdministration(dependencies),
  };
}
