/** What the router needs of a tier. */

import type { Principal } from '../../domain/principal.ts';
import type { RoutedValue, RouterReadInput, RouterWriteInput } from '../../domain/router.ts';

/** Which value, with the agent that is meant. */
export type Identified = Omit<RouterReadInput, 'tier'>;

export type TierWrite = Omit<RouterWriteInput, 'tier'>;

export interface TierAccess {
  /** The identifier that it lacks to do so; undefined for none. */
  missing(place: Identified, deed: 'read' | 'write' | 'delete'): string | undefined;
  read(principal: Principal, place: Identified): Promise<RoutedValue | null>;
  write(principal: Principal, write: TierWrite): Promise<RoutedValue>;
  /** False when nothing was there. */
  delete(principal: Principal, place: Identified): Promise<boolean>;
}
