/** A server program that does not outlive whoever started it, however that one ends. */

import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Account } from './postgres-installation.ts';

export interface KeptProgram {
  readonly command: string;
  readonly args: readonly string[];
  /** Where it runs and writes its `log`; removed when the one who started it is gone. */
  readonly folder: string;
  readonly account?: Account | undefined;
}

/** Between it and us stands process-keeper.ts, which waits for our end of a pipe to close. */
export class KeptProcess {
  readonly #keeper: ChildProcess;

  constructor(program: KeptProgram) {
    const keeper = fileURLToPath(new URL('process-keeper.ts', import.meta.url));
    // Detached, so that an interrupt from the keyboard reaches us alone and things end in order.
    this.#keeper = spawn(process.execPath, [keeper, JSON.stringify(program)], {
      stdio: ['pipe', 'ignore', 'ignore'],
      detached: true,
    });
    // Writing to one that has ended is no failure of ours.
    this.#keeper.stdin?.on('error', () => {});
  }

  get isRunning(): boolean {
    return this.#keeper.exitCode === null && this.#keeper.signalCode === null;
  }

  /** Sends it a signal, and resolves when it has ended. Its folder stays. */
  async end(signal: NodeJS.Signals): Promise<void> {
    if (!this.isRunning) return;
    const ended = once(this.#keeper, 'exit');
    this.#keeper.stdin?.write(`${signal}\n`);
    await ended;
  }
}
