/** `lamina serve` in a process of its own, with a probe in it. */

import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { nextMessage } from '../next-message.ts';
import type { LoadReading } from './load-probe.ts';

const POLL_MS = 20;
const PAGE_BYTES = 4096;
const here = (file: string): URL => new URL(file, import.meta.url);

export class LoadService {
  readonly #child: ChildProcess;
  readonly #logFile: string;
  readonly port: number;

  private constructor(child: ChildProcess, port: number, logFile: string) {
    this.#child = child;
    this.port = port;
    this.#logFile = logFile;
  }

  static async start(folder: string, databaseUrl: string): Promise<LoadService> {
    const logFile = join(folder, 'serve.log');
    const log = openSync(logFile, 'w');
    const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('LAMINA_'));
    const child = fork(here('../../bin/lamina.js'), ['serve', '--port', '0', '--database-url', databaseUrl], {
      execArgv: ['--expose-gc', '--import', here('load-probe.ts').href],
      cwd: folder,
      env: Object.fromEntries(inherited),
      stdio: ['ignore', log, log, 'ipc'],
    });
    closeSync(log);
    for (;;) {
      const text = readFileSync(logFile, 'utf8');
      const port = /http:\/\/127\.0\.0\.1:(\d+)/.exec(text)?.[1];
      if (port !== undefined) return new LoadService(child, Number(port), logFile);
      if (child.exitCode !== null) throw new Error(`lamina serve ended instead of listening:\n${text}`);
      await setTimeout(POLL_MS);
    }
  }

  /** After a forced garbage collection where `collects`. */
  read(collects = false): Promise<LoadReading> {
    this.#child.send(collects ? 'collect' : 'read');
    return nextMessage(this.#child);
  }

  /** What the processes that it has started hold: the embedding model is one of them. 0 where that cannot be told. */
  childrenBytes(): number {
    return processesBelow(this.#child.pid ?? -1).reduce((sum, pid) => sum + rssOf(pid), 0);
  }

  /** Has it drain and end. The exit code, and how long that took in milliseconds. */
  async end(): Promise<{ readonly code: number | null; readonly milliseconds: number }> {
    const started = performance.now();
    const exit = once(this.#child, 'exit');
    this.#child.kill('SIGTERM');
    // Otherwise the way by which it is asked keeps it.
    this.#child.disconnect();
    const [code] = (await exit) as [number | null];
    return { code, milliseconds: performance.now() - started };
  }

  /** What it wrote to its log, for whoever has to find out why. */
  log(): string {
    return readFileSync(this.#logFile, 'utf8');
  }

  kill(): void {
    if (this.#child.exitCode === null) this.#child.kill('SIGKILL');
  }
}

/** By what Linux says of its processes. */
function processesBelow(parent: number): number[] {
  try {
    const all = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
    return all.map(Number).filter((pid) => parentOf(pid) === parent);
  } catch {
    return [];
  }
}

function parentOf(pid: number): number | undefined {
  try {
    // The name, in parentheses, may hold anything.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    return Number(fields[1]);
  } catch {
    return undefined;
  }
}

function rssOf(pid: number): number {
  try {
    return Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]) * PAGE_BYTES;
  } catch {
    return 0;
  }
}
