/**
 * Carries what was committed over from the log of writes into the file, in a thread. SQLite would do it within a commit, every
 * thousand pages: a seventh to a third of the time of adding entries, while everybody waits.
 */

import { Worker } from 'node:worker_threads';

/** The same module in a checkout, where types are stripped, and in the package, where they are compiled away. */
const WORKER = new URL(`./sqlite-fold-worker.${import.meta.url.endsWith('.ts') ? 'ts' : 'js'}`, import.meta.url);

/** One for all files of a process; there is none before a log has become long. */
export class SqliteFoldThread {
  #worker: Worker | undefined;
  /** Those who wait, in the order in which they asked. */
  #waiting: (() => void)[] = [];
  #isOver = false;

  /** Resolves when it was tried, and whatever came of it. While it lasts others read and write. */
  fold(file: string): Promise<void> {
    if (this.#isOver) return Promise.resolve();
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      this.#worker ??= this.#start();
      this.#worker.ref();
      this.#worker.postMessage(file);
    });
  }

  async close(): Promise<void> {
    const worker = this.#worker;
    this.#end();
    await worker?.terminate();
  }

  #start(): Worker {
    const worker = new Worker(WORKER, { execArgv: [] });
    worker.on('message', () => this.#done());
    // One that has failed is not started again: SQLite folds long logs by itself.
    worker.on('error', () => this.#end());
    worker.on('exit', () => this.#end());
    return worker;
  }

  #done(): void {
    this.#waiting.shift()?.();
    // An idle thread keeps no program from ending.
    if (this.#waiting.length === 0) this.#worker?.unref();
  }

  #end(): void {
    this.#isOver = true;
    this.#worker = undefined;
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}
