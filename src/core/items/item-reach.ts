/** Where the items of an agent lie. */

import { reachOf } from '../../domain/access.ts';
import type { ItemsListInput, MemoryScope } from '../../domain/memory-item.ts';
import type { Principal } from '../../domain/principal.ts';
import { scopeOf, type Scope } from '../../domain/scope.ts';
import type { Reach } from '../../ports/entry-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { isOutsideContexts } from '../scoping.ts';
import { KIND_OF, LAYER_OF } from './item.ts';
import { requiredProject } from './item-draft.ts';

/** A read costs time for each place that it goes over, and each session is one. */
const MAX_SESSIONS = 100;

/** Of how many of the agent's newest memories it is looked in which session they are. */
const RECENT = 1000;

type Where = Pick<ItemsListInput, 'agentId' | 'tier' | 'scope' | 'sessionId' | 'projectId'>;

export interface ItemReach {
  readonly reach: Reach;
  /** Says what is left out. */
  readonly warnings: string[];
}

/**
 * The items of the agent in the named scope, else in all: wherever it works, in its sessions, and in the project that is
 * named. Of a session those that name it, whatever their scope, as for forgetting. Throws `MISSING_IDENTIFIER` for the scope of a project that is not named.
 */
export async function itemReach(dependencies: Dependencies, principal: Principal, where: Where): Promise<ItemReach> {
  const { userId } = principal;
  const { agentId, tier, scope, sessionId, projectId } = where;
  const isMeant = (one: MemoryScope): boolean => scope === undefined || scope === one;
  const warnings: string[] = [];
  const scopes: Scope[] = [];
  if (isMeant('GlobalScope')) scopes.push(scopeOf(LAYER_OF.GlobalScope, { userId, agentId }));
  if (isMeant('SessionScope')) scopes.push(...(await sessionsOf(dependencies, principal, where, warnings)));
  if (scope === 'ProjectScope' || (scope === undefined && projectId !== undefined)) {
    scopes.push(scopeOf(LAYER_OF.ProjectScope, { projectId: requiredProject(projectId) }));
  }
  const kinds = tier === undefined ? Object.values(KIND_OF) : [KIND_OF[tier]];
  const identifiers = { agentId, ...(sessionId !== undefined && { sessionId }) };
  const reach = { partitions: reachOf(principal, scopes, kinds), identifiers, ownerId: userId };
  return { reach, warnings };
}

/** Where there are very many sessions, those in which the agent remembered something last. */
async function sessionsOf(
  { entries }: Dependencies,
  principal: Principal,
  { agentId, sessionId }: Where,
  warnings: string[],
): Promise<Scope[]> {
  const { userId } = principal;
  if (sessionId !== undefined) return [scopeOf('session', { userId, sessionId })];
  const all = (await entries.personalScopes(principal, 'session', userId)).filter(isOutsideContexts);
  if (all.length <= MAX_SESSIONS) return all;
  const newest = await entries.list(principal, { ownerId: userId, identifiers: { agentId } }, RECENT);
  const inSessions = newest.filter((entry) => entry.layer === 'session' && isOutsideContexts(entry));
  const ids = [...new Set(inSessions.flatMap(({ identifiers }) => identifiers.sessionId ?? []))].slice(0, MAX_SESSIONS);
  warnings.push(
    `There are more than ${MAX_SESSIONS} sessions: only those with the newest items were looked at. Name the session for another.`,
  );
  return ids.map((id) => scopeOf('session', { userId, sessionId: id }));
}
