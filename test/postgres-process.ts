/** A PostgreSQL server of the tests, in a temporary folder, that can be stopped and started again. */

import { execFile } from 'node:child_process';
import { chownSync, readFileSync, rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { KeptProcess } from './kept-process.ts';
import type { PostgresInstallation } from './postgres-installation.ts';

const SUPERUSER = 'postgres';
const START_MS = 60_000;

export interface PostgresProcessOptions {
  readonly installation: PostgresInstallation;
  /** Whether an acknowledged write is on the disk. Off is much faster, and what a test may lose. */
  readonly isDurable: boolean;
  /** Further settings of the server, by name. */
  readonly settings?: Readonly<Record<string, string>> | undefined;
}

/** How a server is stopped: cleanly, rolling back what is under way; or as in a crash, so that it must recover. */
export type StopMode = 'fast' | 'immediate';

const SIGNALS: Readonly<Record<StopMode, NodeJS.Signals>> = { fast: 'SIGINT', immediate: 'SIGQUIT' };

export class PostgresProcess {
  readonly folder: string;
  readonly port: number;
  /** As the superuser, without a password. */
  readonly url: string;
  readonly #options: PostgresProcessOptions;
  #process: KeptProcess | undefined;

  private constructor(folder: string, port: number, options: PostgresProcessOptions) {
    this.folder = folder;
    this.port = port;
    this.url = `postgres://${SUPERUSER}@127.0.0.1:${port}/postgres`;
    this.#options = options;
  }

  /** Makes one and starts it. */
  static async create(options: PostgresProcessOptions): Promise<PostgresProcess> {
    const { programs, account } = options.installation;
    const folder = await mkdtemp(join(tmpdir(), 'lamina-postgres-'));
    try {
      if (account) chownSync(folder, account.uid, account.gid);
      await promisify(execFile)(
        join(programs, 'initdb'),
        ['-D', join(folder, 'data'), '-U', SUPERUSER, '-A', 'trust', '-E', 'UTF8', '--no-locale', '--no-sync'],
        { cwd: folder, ...account },
      );
      const server = new PostgresProcess(folder, await freePort(), options);
      await server.start();
      return server;
    } catch (error) {
      rmSync(folder, { recursive: true, force: true });
      throw error;
    }
  }

  /** Resolves when it accepts connections. */
  async start(): Promise<void> {
    const { installation, isDurable, settings } = this.#options;
    const all = {
      port: String(this.port),
      listen_addresses: '127.0.0.1',
      unix_socket_directories: this.folder,
      max_connections: '300',
      fsync: isDurable ? 'on' : 'off',
      // Parallel index builds of pgvector before 0.8.3 are unsafe.
      max_parallel_maintenance_workers: '0',
      ...settings,
    };
    const started = new KeptProcess({
      command: join(installation.programs, 'postgres'),
      args: [
        '-D',
        join(this.folder, 'data'),
        ...Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
      ],
      folder: this.folder,
      account: installation.account,
    });
    this.#process = started;
    for (const deadline = Date.now() + START_MS; !this.#isReady(); await sleep(20)) {
      if (started.isRunning && Date.now() < deadline) continue;
      await started.end('SIGQUIT');
      throw new Error(`PostgreSQL did not start:\n${readFileSync(join(this.folder, 'log'), 'utf8')}`);
    }
  }

  /** Resolves when it has ended; whoever is connected is cut off. */
  async stop(mode: StopMode): Promise<void> {
    await this.#process?.end(SIGNALS[mode]);
  }

  /** Stops it and removes all that it had. */
  async close(): Promise<void> {
    await this.stop('immediate');
    await rm(this.folder, { recursive: true, force: true });
  }

  /** The server says so itself, in the eighth line of its file. */
  #isReady(): boolean {
    try {
      return (
        readFileSync(join(this.folder, 'data', 'postmaster.pid'), 'utf8')
          .split('\n')[7]
          ?.trim() === 'ready'
      );
    } catch {
      return false;
    }
  }
}

/**
 * Below those that the system gives to clients: one of them, trying to reach a server that is down at a port of that
 * range, may be given the very same port and be connected to itself.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = 20_000 + Math.floor(Math.random() * 12_000);
    const server = createServer();
    const isFree = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false));
      server.listen(port, '127.0.0.1', () => resolve(true));
    });
    if (!isFree) continue;
    await new Promise((resolve) => server.close(resolve));
    return port;
  }
}
