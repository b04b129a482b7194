/** Files of the data are nobody else's business on this machine, whatever its folder and its umask allow. */

import { closeSync, openSync } from 'node:fs';

const OWNER_ONLY = 0o600;

/**
 * Makes it where there is none; SQLite gives what it puts beside a file that file's mode. One that is there is not even opened: to
 * close it would take away the locks that this process has on it. Throws what the file system says.
 */
export function makePrivateFile(path: string): void {
  try {
    closeSync(openSync(path, 'ax', OWNER_ONLY));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}
