/**
 * Rewrites a tenant's file without what lies in the unused space of its pages. SQLite overwrites what is deleted, but
 * when it moves rows from page to page it leaves copies behind, in which deleted text can still be read.
 */

import { once } from 'node:events';
import { existsSync, statSync } from 'node:fs';
import { Worker } from 'node:worker_threads';

/** The same module in a checkout, where types are stripped, and in the package, where they are compiled away. */
const WORKER = new URL(`./sqlite-vacuum-worker.${import.meta.url.endsWith('.ts') ? 'ts' : 'js'}`, import.meta.url);

/**
 * Off the event loop, in memory: so files larger than `maxBytes` are left as they are. Others wait to write meanwhile,
 * and can read. A file that is gone needs nothing. Throws what SQLite throws.
 */
export async function vacuum(file: string, maxBytes: number): Promise<void> {
  if (!existsSync(file) || statSync(file).size > maxBytes) return;
  const worker = new Worker(WORKER, { workerData: { file }, execArgv: [] });
  try {
    // Rejects with the worker's error, should there be one.
    await once(worker, 'exit');
  } catch (error) {
    if (existsSync(file)) throw error;
  }
}
