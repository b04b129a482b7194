/** What maintenance needs, over an engine in a folder of its own, so that tests can carry out runs and rounds by hand. */

import { systemIds } from '../src/compose/system.ts';
import type { Dependencies } from '../src/core/dependencies.ts';
import { DEFAULT_LIFECYCLE_POLICY } from '../src/domain/lifecycle-policy.ts';
import { DEFAULT_LIMITS } from '../src/domain/limits.ts';
import type { MaintenanceRunRecord } from '../src/domain/maintenance.ts';
import { umapLayout } from '../src/embedding/umap/umap-layout.ts';
import type { SqliteEngine } from '../src/engines/sqlite/sqlite-engine.ts';
import type { Clock } from '../src/ports/clock.ts';
import type { RecordStore } from '../src/ports/record-store.ts';
import { HashEmbedder } from '../src/testing/hash-embedder.ts';

export function dependenciesOn(engine: SqliteEngine, clock: Clock): Dependencies {
  const { entries, state, records, facts, audit, erasure, events, archive, upkeep, inspector } = engine;
  const shared = { entries, state, hot: state, records, facts, audit, erasure, events, archive, upkeep, inspector };
  const lifecycle = DEFAULT_LIFECYCLE_POLICY;
  return {
    ...shared,
    embedder: new HashEmbedder(),
    clock,
    ids: systemIds,
    limits: DEFAULT_LIMITS,
    lifecycle,
    version: async () => '0.0.0',
    layout: umapLayout(),
    vitals: async () => {
      throw new Error('Nobody measures here.');
    },
  };
}

/** The same for a process that dies after so many changes of a record of a run: from then on it writes down nothing. */
export function dyingAfter(dependencies: Dependencies, changes: number): Dependencies {
  const { maintenanceRuns } = dependencies.records;
  let left = changes;
  const dying: RecordStore<MaintenanceRunRecord> = {
    create: (...given) => maintenanceRuns.create(...given),
    get: (...given) => maintenanceRuns.get(...given),
    findByLink: (...given) => maintenanceRuns.findByLink(...given),
    remove: (...given) => maintenanceRuns.remove(...given),
    removeAll: (...given) => maintenanceRuns.removeAll(...given),
    list: (...given) => maintenanceRuns.list(...given),
    change: async (...given) => {
      left -= 1;
      if (left < 0) throw new Error('killed');
      return maintenanceRuns.change(...given);
    },
  };
  return { ...dependencies, records: { ...dependencies.records, maintenanceRuns: dying } };
}
