/** One process at a time: PGlite itself does not notice when two open the same folder, and the data is lost. */

import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { LaminaError } from '../../domain/error.ts';

export interface FolderLock {
  release(): void;
}

/**
 * By an exclusive lock on a small SQLite file beside the data, which the operating system lets go of when the process
 * ends, however it ends. Throws `CONFIGURATION_ERROR` when another process has it.
 */
export function lockFolder(folder: string): FolderLock {
  const db = new Sqlite(join(folder, 'lock.db'), { timeout: 0 });
  try {
    db.pragma('locking_mode = EXCLUSIVE');
    db.exec('BEGIN EXCLUSIVE');
  } catch (cause) {
    db.close();
    throw new LaminaError('CONFIGURATION_ERROR', 'Another process has this PGlite folder open. Only one can.', {
      cause,
    });
  }
  return { release: () => void db.close() };
}
