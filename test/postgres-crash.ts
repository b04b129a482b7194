/** Ways in which a PostgreSQL server crashes, by `kill -9`. */

import { readFileSync, rmSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { PostgresProcess } from './postgres-process.ts';

/**
 * A session: the server throws all others out, recovers and goes on by itself. The server: its sessions notice and end.
 * Everything: server, sessions and whatever else it runs, at once.
 */
export const POSTGRES_CRASHES = ['session', 'server', 'everything'] as const;
export type PostgresCrash = (typeof POSTGRES_CRASHES)[number];

/** Resolves when the processes that were to end have ended. After anything but a session it has to be started again. */
export async function crashPostgres({ folder }: PostgresProcess, crash: PostgresCrash, session: number): Promise<void> {
  const server = Number(readFileSync(join(folder, 'data', 'postmaster.pid'), 'utf8').split('\n')[0]);
  const children = await childrenOf(server);
  const killed = { session: [session], server: [server], everything: [server, ...children] }[crash];
  for (const pid of killed) kill(pid);
  if (crash === 'session') return;
  while ([server, ...children].some(isRunning)) await sleep(5);
  // Else it would be taken for the file of the one that is started next, which says there when it is ready.
  rmSync(join(folder, 'data', 'postmaster.pid'), { force: true });
}

async function childrenOf(parent: number): Promise<number[]> {
  const pids = (await readdir('/proc')).map(Number).filter((pid) => pid > 0);
  return pids.filter((pid) => statusOf(pid)?.parent === parent);
}

function isRunning(pid: number): boolean {
  const status = statusOf(pid);
  return status !== undefined && status.state !== 'Z';
}

function statusOf(pid: number): { readonly state: string; readonly parent: number } | undefined {
  try {
    // The name before it, in brackets, may hold anything.
    const [state = '', parent = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
    return { state, parent: Number(parent) };
  } catch {
    return undefined;
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It is gone already.
  }
}
