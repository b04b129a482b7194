/**
 * A real Redis for those tests that need one: a private server per test file, where redis-server is installed; else the
 * tests are skipped and say so, or fail where continuous integration must not pass without.
 */

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from '@redis/client';
import { KeptProcess } from './kept-process.ts';
import { describeWith } from './postgres-server.ts';
import { freePort } from './postgres-process.ts';

const PROGRAM = 'redis-server';
const START_MS = 20_000;

/** As `describe`, for tests that start a Redis of their own. */
export function describeOnRedis(name: string, body: () => void): void {
  describeWith(name, isInstalled() ? undefined : 'redis-server is not installed', body);
}

function isInstalled(): boolean {
  try {
    execFileSync(PROGRAM, ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

export class RedisServer {
  readonly url: string;
  readonly #folder: string;
  readonly #port: number;
  readonly #settings: readonly string[];
  #process: KeptProcess | undefined;

  private constructor(folder: string, port: number, settings: readonly string[]) {
    this.url = `redis://127.0.0.1:${port}`;
    this.#folder = folder;
    this.#port = port;
    this.#settings = settings;
  }

  /** Makes one and starts it. It keeps nothing on the disk unless the settings (`['--appendonly', 'yes']`) say so. */
  static async create(settings: readonly string[] = []): Promise<RedisServer> {
    const folder = await mkdtemp(join(tmpdir(), 'lamina-redis-'));
    const server = new RedisServer(folder, await freePort(), settings);
    await server.start();
    return server;
  }

  /** One that was never started, at a port where nothing answers. */
  static async absent(): Promise<RedisServer> {
    return new RedisServer(await mkdtemp(join(tmpdir(), 'lamina-redis-')), await freePort(), []);
  }

  /** Resolves when it answers. */
  async start(): Promise<void> {
    const settings = ['--port', String(this.#port), '--bind', '127.0.0.1', '--dir', this.#folder];
    const lasting = ['--save', '', '--appendonly', 'no'];
    const args = [...settings, ...lasting, ...this.#settings];
    const started = new KeptProcess({ command: PROGRAM, args, folder: this.#folder });
    this.#process = started;
    for (const deadline = Date.now() + START_MS; !(await this.#answers()); await sleep(10)) {
      if (started.isRunning && Date.now() < deadline) continue;
      await started.end('SIGKILL');
      throw new Error(`Redis did not start:\n${readFileSync(join(this.#folder, 'log'), 'utf8')}`);
    }
  }

  /** As in a crash: whoever is connected is cut off. */
  async kill(): Promise<void> {
    await this.#process?.end('SIGKILL');
  }

  /** Stops it and removes all that it had. */
  async close(): Promise<void> {
    await this.kill();
    await rm(this.#folder, { recursive: true, force: true });
  }

  /** Asks it something, past everything of ours. */
  async ask(...command: string[]): Promise<unknown> {
    const client = createClient({ url: this.url, RESP: 2, socket: { reconnectStrategy: false } });
    client.on('error', () => {});
    await client.connect();
    try {
      return await client.sendCommand<unknown>(command);
    } finally {
      client.destroy();
    }
  }

  /** Everything that there is: every name, and every byte that lies under it. */
  async everything(): Promise<Map<string, string>> {
    const names = (await this.ask('KEYS', '*')) as string[];
    const found = new Map<string, string>();
    for (const name of names.toSorted()) {
      const type = String(await this.ask('TYPE', name));
      const [command = 'GET', ...rest] = READERS[type] ?? [];
      found.set(name, JSON.stringify(await this.ask(command, name, ...rest)));
    }
    return found;
  }

  async #answers(): Promise<boolean> {
    try {
      await this.ask('PING');
      return true;
    } catch (error) {
      // It is there, and wants a password.
      return error instanceof Error && error.message.startsWith('NOAUTH');
    }
  }
}

/** By the type of what lies there, how to read all of it. */
const READERS: Readonly<Record<string, readonly string[]>> = {
  string: ['GET'],
  hash: ['HGETALL'],
  set: ['SMEMBERS'],
  zset: ['ZRANGE', '0', '-1'],
};
