/** The thread that carries logs of writes over into their files: one after the other, each by a connection of its own. */

import { parentPort } from 'node:worker_threads';
import Sqlite from 'better-sqlite3';

parentPort?.on('message', (file: string) => {
  fold(file);
  parentPort?.postMessage('done');
});

/** As far as nobody is in the way. Not worth an error: what is left over is carried over the next time. */
function fold(file: string): void {
  try {
    const db = new Sqlite(file, { fileMustExist: true, timeout: 0 });
    try {
      db.pragma('wal_checkpoint(PASSIVE)');
    } finally {
      db.close();
    }
  } catch {
    // Gone, locked or out of space: whoever writes to it is told.
  }
}
