/** SQLite in a folder of its own, for the contracts of an engine. */

import { SqliteEngine } from '../src/engines/sqlite/sqlite-engine.ts';
import type { OpenEngine } from '../src/testing/engine-subject.ts';
import { makeFolder, removeFolder, tracesIn } from './sqlite-folder.ts';

export const openSqliteSubject: OpenEngine = async (clock) => {
  const folder = await makeFolder();
  let engine = new SqliteEngine({ folder, clock });
  return {
    engine,
    reopen: async () => {
      await engine.close();
      engine = new SqliteEngine({ folder, clock });
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
};
