/** Administration is for those who have the role. */

import { LaminaError } from '../../domain/error.ts';
import { isAdmin, type Principal } from '../../domain/principal.ts';

/** Throws `FORBIDDEN`. */
export function assertAdmin(principal: Principal): void {
  if (isAdmin(principal)) return;
  throw new LaminaError('FORBIDDEN', 'Only an administrator of the tenant may do this: it takes the role "admin".');
}
