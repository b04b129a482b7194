/** The process of one peer: sets it up, measures it, tells its parent what came out, and ends. */

import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { CachedVectors } from './cached-vectors.ts';
import { measurePeer, NAMESAKES, type Measured } from './measure-peer.ts';
import { PeerWorkload } from './peer-workload.ts';
import { peerNamed } from './peers.ts';
import { analyze } from './postgres-database.ts';

export interface Task {
  readonly peer: string;
  readonly size: number;
  readonly textsPerUser: number;
  readonly searches: number;
  readonly seed: number;
  readonly capMs: number;
  /** Empty, and for the peer alone. */
  readonly folder: string;
  readonly databaseUrl: string | undefined;
}

/** What the parent is told. */
export type Message =
  | { readonly kind: 'progress'; readonly what: string }
  | { readonly kind: 'measured'; readonly measured: Measured; readonly folderBytes: number; readonly users: number };

function bytesIn(folder: string): number {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return files.reduce((sum, file) => sum + statSync(join(file.parentPath, file.name)).size, 0);
}

function tell(message: Message): Promise<void> {
  return new Promise((resolve, reject) => {
    process.send?.(message, undefined, undefined, (error) => (error === null ? resolve() : reject(error)));
  });
}

async function perform({ peer: name, folder, databaseUrl, ...task }: Task): Promise<void> {
  const vectors = new CachedVectors();
  const workload = new PeerWorkload(task.seed, task.size, task.textsPerUser);
  const open = await peerNamed(name).load();
  const peer = await open({ folder, databaseUrl, vectors, users: [...workload.users, ...NAMESAKES] });
  const measured = await measurePeer(peer, {
    workload,
    vectors,
    searches: task.searches,
    capMs: task.capMs,
    say: (what) => void tell({ kind: 'progress', what }),
    settle: async () => (databaseUrl === undefined ? undefined : analyze(databaseUrl)),
  });
  // Closed first, so that what waits in a write-ahead log is where it belongs.
  await peer.close();
  await tell({ kind: 'measured', measured, folderBytes: bytesIn(folder), users: workload.users.length });
}

await perform(JSON.parse(String(process.argv[2])) as Task);
// Some peers leave timers or connections behind that would keep the process.
process.exit();
