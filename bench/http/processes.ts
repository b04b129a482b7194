/** The processes of the measurement over HTTP: two servers, and one that asks. */

import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { nextMessage } from '../next-message.ts';
import type { BareTask } from './bare-server.ts';
import type { LoadResult, LoadTask } from './load.ts';
import type { ProbeReading } from './probe.ts';

const POLL_MS = 20;
const here = (file: string): URL => new URL(file, import.meta.url);
const PROBED = { execArgv: ['--import', here('probe.ts').href] };

export class ServerProcess {
  readonly #child: ChildProcess;
  readonly port: number;

  private constructor(child: ChildProcess, port: number) {
    this.#child = child;
    this.port = port;
  }

  /** `lamina serve` as it is installed, with its log going to a file. */
  static async lamina(folder: string): Promise<ServerProcess> {
    const logFile = join(folder, 'serve.log');
    const log = openSync(logFile, 'w');
    const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('LAMINA_'));
    const args = ['serve', '--port', '0', '--database-url', `sqlite:${folder}`];
    const child = fork(here('../../bin/lamina.js'), args, {
      ...PROBED,
      cwd: folder,
      env: Object.fromEntries(inherited),
      stdio: ['ignore', log, 'inherit', 'ipc'],
    });
    closeSync(log);
    for (;;) {
      const text = readFileSync(logFile, 'utf8');
      const port = /http:\/\/127\.0\.0\.1:(\d+)/.exec(text)?.[1];
      if (port !== undefined) return new ServerProcess(child, Number(port));
      if (child.exitCode !== null) throw new Error(`lamina serve ended instead of listening:\n${text}`);
      await setTimeout(POLL_MS);
    }
  }

  static async bare(task: BareTask): Promise<ServerProcess> {
    const child = fork(here('bare-server.ts'), PROBED);
    child.send(task);
    const { port } = await nextMessage<{ readonly port: number }>(child);
    return new ServerProcess(child, port);
  }

  read(): Promise<ProbeReading> {
    this.#child.send('read');
    return nextMessage(this.#child);
  }

  stop(): Promise<void> {
    return stopped(this.#child);
  }
}

export class LoadProcess {
  readonly #child = fork(here('load.ts'));

  /** Throws with the first answer that was no success. */
  async run(task: LoadTask): Promise<LoadResult> {
    this.#child.send(task);
    const result = await nextMessage<LoadResult>(this.#child);
    if (result.failure !== undefined) throw new Error(`A request failed:\n${result.failure}`);
    return result;
  }

  stop(): Promise<void> {
    return stopped(this.#child);
  }
}

async function stopped(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  child.kill();
  // Otherwise the way by which it is asked keeps it.
  child.disconnect();
  await exit;
}
