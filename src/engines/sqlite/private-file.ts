/** Files of the data are nobody else's business on this machine, whatever its folder and its umask allow. */

import { closeSync, openSync } from 'node:fs';

const OWNER_ONLY = 0o600;

/** Makes it where there is none; SQLite gives what it puts beside a file that file's mode. Throws what the file system says. */
export function makePrivateFile(path: string): void {
  closeSync(openSync(path, 'a', OWNER_ONLY));
}
