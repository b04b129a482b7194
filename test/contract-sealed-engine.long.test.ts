/** The engine contract over SQLite with everything sealed. What the files hold then is the business of encryption.test.ts. */

import { describe, it } from 'vitest';
import { SqliteEngine } from '../src/engines/sqlite/sqlite-engine.ts';
import { sealedEngine } from '../src/sealing/sealed-engine.ts';
import { engineContract } from '../src/testing/engine-contract.ts';
import { lexemesIn } from '../src/testing/entry-write.ts';
import { memoryMasterKey } from './master-key.ts';
import { makeFolder, removeFolder } from './sqlite-folder.ts';

engineContract({ describe, it }, 'sealed SQLite', async (clock) => {
  const folder = await makeFolder();
  const master = memoryMasterKey();
  const lexemesOf = ({ content }: { readonly content: string }) => lexemesIn(content);
  const open = () => sealedEngine(new SqliteEngine({ folder, clock }), { master, clock, lexemesOf });
  let engine = open();
  return {
    engine,
    reopen: async () => {
      await engine.close();
      engine = open();
      return engine;
    },
    close: async () => {
      await engine.close();
      await removeFolder(folder);
    },
  };
});
