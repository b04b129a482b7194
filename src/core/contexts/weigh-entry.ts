/** Making an entry of a context more or less important. */

import { DEFAULT_STEP, type ContextEntry, type WeighContextEntryInput } from '../../domain/context-entry.ts';
import type { Entry } from '../../domain/entry.ts';
import { LaminaError } from '../../domain/error.ts';
import type { Principal } from '../../domain/principal.ts';
import type { Dependencies } from '../dependencies.ts';
import { orAbsent } from '../records/record.ts';
import { update } from '../remember/update.ts';
import { contextEntryOf, signed } from './context-entry-view.ts';
import { entryAt } from './find-entry.ts';
import type { OpenContext } from './open-context.ts';
import { visiting } from './visit.ts';

/** Each retry means that another caller succeeded, so all make progress; more than this is a fault, not contention. */
const MAX_ROUNDS = 1000;

/** So that ten steps of 0.1 add up to 1. */
const PRECISION = 1e9;

export function weighEntry(
  dependencies: Dependencies,
  principal: Principal,
  { contextId, key, by = DEFAULT_STEP }: WeighContextEntryInput,
  direction: 'boost' | 'reduce',
): Promise<ContextEntry> {
  const visit = { contextId, need: 'write', action: `contextEntries.${direction}`, entryKey: key } as const;
  return visiting(dependencies, principal, visit, async (place) => {
    const entry = await weigh(dependencies, principal, place, key, direction === 'boost' ? by : -by);
    return contextEntryOf(entry, dependencies.clock.now());
  });
}

/** Compare-and-set, retried until nobody else wrote in between. */
async function weigh(
  dependencies: Dependencies,
  principal: Principal,
  place: OpenContext,
  key: string,
  by: number,
): Promise<Entry> {
  for (let round = 1; ; round += 1) {
    const entry = orAbsent('entry', await entryAt(dependencies, place, key));
    const importance = clamped(entry.importance + by);
    if (importance === entry.importance) return entry;
    const change = { id: entry.id, expectedVersion: entry.version, ...signed({ importance }, principal) };
    try {
      return (await update(dependencies, place.owner, change)).memory;
    } catch (error) {
      const isOvertaken = error instanceof LaminaError && error.code === 'VERSION_CONFLICT';
      if (!isOvertaken || round === MAX_ROUNDS) throw error;
    }
  }
}

function clamped(importance: number): number {
  return Math.min(1, Math.max(0, Math.round(importance * PRECISION) / PRECISION));
}
