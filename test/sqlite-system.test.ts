/** `system.db` while another process is making it. */

import { once } from 'node:events';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../src/compose/system.ts';
import { SqliteSystem } from '../src/engines/sqlite/sqlite-system.ts';
import { makeFolder, removeFolder } from './sqlite-folder.ts';

/** Holds the lock of a file that has nothing in it yet, for a while. */
const HOLDER = `
  const { parentPort, workerData } = require('node:worker_threads');
  const Sqlite = require('better-sqlite3');
  const db = new Sqlite(workerData);
  db.pragma('journal_mode = WAL');
  db.exec('BEGIN IMMEDIATE');
  parentPort.postMessage('held');
  setTimeout(() => { db.exec('ROLLBACK'); db.close(); }, 100);
`;

it('is read within a transaction as soon as whoever makes it has done', async () => {
  const folder = await makeFolder();
  onTestFinished(() => removeFolder(folder));
  const holder = new Worker(HOLDER, { eval: true, workerData: join(folder, 'system.db') });
  await once(holder, 'message');
  const system = new SqliteSystem(folder, systemClock);
  onTestFinished(() => system.close());
  expect(system.readNow((connection) => connection.first('SELECT 1 AS one'))).toEqual({ one: 1 });
  await once(holder, 'exit');
});
