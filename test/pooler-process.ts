/** PgBouncer in transaction mode: each transaction on whichever connection to the server is free. */

import { chownSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect as connectTo } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { KeptProcess } from './kept-process.ts';
import { findAccount } from './postgres-installation.ts';
import { freePort } from './postgres-process.ts';

const START_MS = 15_000;

export interface Pooler {
  /** The same database, role and password, through the pooler. */
  readonly url: string;
  close(): Promise<void>;
}

function findProgram(): string | undefined {
  const places = ['/usr/sbin', ...(process.env['PATH'] ?? '').split(delimiter)];
  return places.map((place) => join(place, 'pgbouncer')).find((program) => existsSync(program));
}

/** Why there is none; undefined where there is. */
export function whyNoPooler(): string | undefined {
  const account = findAccount();
  if (typeof account === 'string') return account;
  return findProgram() === undefined ? 'PgBouncer is not installed' : undefined;
}

/** In front of the server of this address, with so many connections to it. */
export async function startPooler(target: string, size: number): Promise<Pooler> {
  const [program, account] = [findProgram(), findAccount()];
  if (program === undefined || typeof account === 'string') throw new Error(whyNoPooler());
  const folder = await mkdtemp(join(tmpdir(), 'lamina-pooler-'));
  const { hostname, port, username, password } = new URL(target);
  const ownPort = await freePort();
  const files = {
    users: `"${username}" "${password}"\n`,
    'pooler.ini': [
      '[databases]',
      `* = host=${hostname} port=${port || 5432}`,
      '[pgbouncer]',
      `listen_addr = 127.0.0.1`,
      `listen_port = ${ownPort}`,
      `unix_socket_dir =`,
      'auth_type = trust',
      `auth_file = ${join(folder, 'users')}`,
      'pool_mode = transaction',
      `default_pool_size = ${size}`,
      '',
    ].join('\n'),
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  if (account) for (const path of [folder, join(folder, 'users')]) chownSync(path, account.uid, account.gid);
  const process = new KeptProcess({ command: program, args: [join(folder, 'pooler.ini')], folder, account });
  const close = async (): Promise<void> => {
    await process.end('SIGTERM');
    await rm(folder, { recursive: true, force: true });
  };
  for (const deadline = Date.now() + START_MS; !(await accepts(ownPort)); await sleep(20)) {
    if (process.isRunning && Date.now() < deadline) continue;
    const log = readFileSync(join(folder, 'log'), 'utf8');
    await close();
    throw new Error(`PgBouncer did not start:\n${log}`);
  }
  const url = new URL(target);
  url.host = `127.0.0.1:${ownPort}`;
  return { url: url.href, close };
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connectTo(port, '127.0.0.1');
    const end = (is: boolean) => (): void => {
      socket.destroy();
      resolve(is);
    };
    socket.once('connect', end(true));
    socket.once('error', end(false));
  });
}
