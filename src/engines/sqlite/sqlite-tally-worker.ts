/** The thread that counts what a large file holds, by a connection of its own. */

import { parentPort, workerData } from 'node:worker_threads';
import { SqliteConnection } from './sqlite-connection.ts';
import { tallyOf, type TallyQuery } from './sqlite-tally.ts';

const { file, query } = workerData as { readonly file: string; readonly query: TallyQuery };
const connection = new SqliteConnection(file, { readonly: true });
try {
  parentPort?.postMessage(tallyOf(connection, query));
} finally {
  connection.close();
}
