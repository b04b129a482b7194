/** The thread that rewrites a file: it takes milliseconds per megabyte, for which nobody should have to wait. */

import { workerData } from 'node:worker_threads';
import Sqlite from 'better-sqlite3';

/** How long to wait for those who write. */
const TIMEOUT_MS = 60_000;

const { file } = workerData as { readonly file: string };
const db = new Sqlite(file, { timeout: TIMEOUT_MS, fileMustExist: true });
try {
  // The copy holds remembered text: it must not go to a temporary file.
  db.pragma('temp_store = MEMORY');
  db.exec('VACUUM');
} finally {
  db.close();
}
