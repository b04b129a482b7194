/** Looking at memory from outside, for people: it changes nothing, and counts as no access. */

import type {
  DecayInput,
  DecayOutput,
  LineageInput,
  LineageOutput,
  MapInput,
  MapOutput,
  MemoryNeighboursInput,
  MemoryNeighboursOutput,
  StatsInput,
  StatsOutput,
} from '../../domain/inspection.ts';
import type { Principal } from '../../domain/principal.ts';
import type { VitalsOutput } from '../../domain/vitals.ts';
import { assertAdmin } from '../admin/assert-admin.ts';
import type { Dependencies } from '../dependencies.ts';
import { decayView } from './decay-view.ts';
import { lineage } from './lineage.ts';
import { MemoryMaps } from './memory-maps.ts';
import { neighbours } from './neighbours.ts';
import { stats } from './stats.ts';

export interface Inspection {
  stats(principal: Principal, input: StatsInput): Promise<StatsOutput>;
  neighbours(principal: Principal, input: MemoryNeighboursInput): Promise<MemoryNeighboursOutput>;
  lineage(principal: Principal, input: LineageInput): Promise<LineageOutput>;
  decay(principal: Principal, input: DecayInput): Promise<DecayOutput>;
  map(principal: Principal, input: MapInput): Promise<MapOutput>;
  /** How the process does that answers. */
  vitals(principal: Principal): Promise<VitalsOutput>;
}

export function createInspection(dependencies: Dependencies): Inspection {
  const maps = new MemoryMaps(dependencies);
  return {
    stats: (principal, input) => stats(dependencies, principal, input),
    neighbours: (principal, input) => neighbours(dependencies, principal, input),
    lineage: (principal, input) => lineage(dependencies, principal, input),
    decay: (principal, input) => decayView(dependencies, principal, input),
    map: (principal, input) => maps.read(principal, input),
    vitals: async (principal) => {
      assertAdmin(principal);
      return dependencies.vitals();
    },
  };
}
