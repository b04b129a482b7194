/** SQLite in a folder of its own, for the contracts of an engine. */

import { SqliteEngine } from '../src/engines/sqlite/sqlite-engine.ts';
import type { SqliteTenantsOptions } from '../src/engines/sqlite/sqlite-tenants.ts';
import type { Clock } from '../src/ports/clock.ts';
import type { EngineSubject, OpenEngine } from '../src/testing/engine-subject.ts';
import { makeFolder, removeFolder, tracesIn } from './sqlite-folder.ts';

export const openSqliteSubject: OpenEngine = sqliteSubject({});

export function sqliteSubject(options: Pick<SqliteTenantsOptions, 'codes'>): OpenEngine {
  return (clock) => openSubject(options, clock);
}

async function openSubject(options: Pick<SqliteTenantsOptions, 'codes'>, clock: Clock): Promise<EngineSubject> {
  const folder = await makeFolder();
  let engine = new SqliteEngine({ folder, clock, ...options });
  return {
    engine,
    reopen: async () => {
      await engine.close();
      engine = new SqliteEngine({ folder, clock, ...options });
      return engine;
    },
    residue: async (traces) => {
      await engine.close();
      return tracesIn(folder, traces);
    },
    close: async () => {
      await engine.close();
      await removeFolder(folder);
    },
  };
}
