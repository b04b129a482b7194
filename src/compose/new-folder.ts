/** The data folder of a start that may fail: a folder that was created but not used is removed. */

import { existsSync } from 'node:fs';
import { rmdir } from 'node:fs/promises';
import { databaseAddress } from './database-address.ts';

/**
 * To be asked before the database is opened. What it gives removes the folder where it was not there before and nothing lies
 * in it: commands would take it for the memory of a service.
 */
export function unusedFolderRemoval(databaseUrl: string): () => Promise<void> {
  const address = databaseAddress(databaseUrl);
  if (address?.engine !== 'sqlite' || existsSync(address.folder)) return async () => undefined;
  return async () => {
    // Only an empty folder can be removed so; another process may have begun to use it.
    await rmdir(address.folder).catch(() => undefined);
  };
}
