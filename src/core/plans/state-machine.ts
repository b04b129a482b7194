/** What can be said about a planner's state machine without knowing the planner. */

import type { PlanContext } from '../../domain/plan-context.ts';
import { invalidField } from '../../domain/error.ts';

/**
 * Where the machine describes its states (`state.states`, an object by name), the current state must be one of them. Only
 * the planner knows which transitions are valid. Throws `VALIDATION_FAILED`.
 */
export function assertKnownState({ state, currentState }: Pick<PlanContext, 'state' | 'currentState'>): void {
  const states = state['states'];
  if (currentState === undefined || typeof states !== 'object' || states === null || Array.isArray(states)) return;
  if (Object.hasOwn(states, currentState)) return;
  const known = Object.keys(states).slice(0, 20).join(', ');
  throw invalidField('currentState', `"${currentState}" is not a state of this machine, which has: ${known || 'none'}`);
}
