/** The engine contract over SQLite. */

import { describe, it } from 'vitest';
import { SqliteEngine } from '../src/engines/sqlite/sqlite-engine.ts';
import { engineContract } from '../src/testing/engine-contract.ts';
import { makeFolder, removeFolder, tracesIn } from './sqlite-folder.ts';

engineContract({ describe, it }, 'SQLite', async (clock) => {
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
});
