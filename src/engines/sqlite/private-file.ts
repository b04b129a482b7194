/** Files of the data are nobody else's business on this machine, whatever its folder and its umask allow. */

import { closeSync, openSync } from 'node:fs';

const OWNER_ONLY = 0o600;

/**
 * Makes it where there is none; SQLite gives what it puts beside a file that file's mode. One that may not be written is refused here,
 * because SQLite would open it to be read only. Nothing of this process may have it open: closing a file drops all locks that the
 * process has on it. Throws what the file system says.
 */
export function makePrivateFile(path: string): void {
  closeSync(openSync(path, 'a', OWNER_ONLY));
}

/** The same for a file that this process may have open: one that is there is left alone. */
export function makePrivateFileOnce(path: string): void {
  try {
    closeSync(openSync(path, 'ax', OWNER_ONLY));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}
