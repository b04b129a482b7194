/** The principal that maintenance acts as. */

import type { Entry } from '../../domain/entry.ts';
import type { Principal } from '../../domain/principal.ts';

/** The actor where something belongs to no user. It may do what anybody of the tenant may, and no more. */
const LAMINA = 'lamina';

/** For the records of runs. */
export function systemPrincipal(tenantId: string): Principal {
  return { tenantId, userId: LAMINA };
}

/** Its owner, without an agent: what the owner's agents keep apart from each other is the owner's all the same. */
export function ownerOfEntry(tenantId: string, { ownerId }: Pick<Entry, 'ownerId'>): Principal {
  return { tenantId, userId: ownerId ?? LAMINA };
}
