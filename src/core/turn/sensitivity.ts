/** What may go to a model that is somebody else's. Pure. */

import { SENSITIVITIES, type Sensitivity } from '../../domain/kind.ts';

export function isWithin(sensitivity: Sensitivity | undefined, max: Sensitivity): boolean {
  return sensitivity === undefined || SENSITIVITIES.indexOf(sensitivity) <= SENSITIVITIES.indexOf(max);
}

/** The policy, or less where a call asks for less. */
export function narrowed(policy: Sensitivity, asked: Sensitivity = policy): Sensitivity {
  return isWithin(asked, policy) ? asked : policy;
}
