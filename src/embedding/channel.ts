/** A place beside this thread where the model runs, and how to talk to it. */

import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';

export interface Channel {
  post(message: unknown): void;
  /** Keeps this process alive, or no longer. It does not from the start. */
  ref(): void;
  unref(): void;
  /** Ends it at once. */
  stop(): Promise<void>;
}

export interface ChannelEvents {
  readonly onMessage: (message: unknown) => void;
  /** It is gone, for whatever reason; may come more than once. */
  readonly onEnd: (cause: Error) => void;
}

/** The options go along to the entry, as data. */
export type OpenChannel = (entry: URL, options: object, events: ChannelEvents) => Channel;

/** For WebAssembly, which cannot do harm. */
export const openThread: OpenChannel = (entry, options, { onMessage, onEnd }) => {
  // Without the flags of this process: `--input-type`, for one, would stop the thread from starting.
  const worker = new Worker(entry, { name: 'lamina-minilm', workerData: options, execArgv: [] });
  worker.unref();
  worker.on('message', onMessage);
  worker.on('error', onEnd);
  worker.on('exit', (code) => onEnd(new Error(`exit code ${code}`)));
  return {
    post: (message) => worker.postMessage(message),
    ref: () => worker.ref(),
    unref: () => worker.unref(),
    stop: async () => {
      await worker.terminate();
    },
  };
};

/**
 * Lets the C library of Linux keep a model in large pages, where the system leaves that to programs. A text reads all of
 * the weights; with small pages a short one was measured to take a fifth longer.
 */
const LARGE_PAGES = 'glibc.malloc.hugetlb=1';

/**
 * For native code. onnxruntime-node keeps state of the thread that loads it in global variables: when that thread ends
 * and another loads it, it frees memory that is gone. In a process of its own it is loaded once, and whatever
 * happens to it (an instruction that the processor lacks, say) does not happen to this one.
 */
export const openProcess: OpenChannel = (entry, options, { onMessage, onEnd }) => {
  const child = fork(fileURLToPath(entry), [JSON.stringify(options)], {
    execArgv: [],
    env: { GLIBC_TUNABLES: LARGE_PAGES, ...process.env, NODE_OPTIONS: '' },
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  const ended = new Promise<void>((resolve) => {
    child.once('error', () => resolve());
    child.once('exit', () => resolve());
  });
  const unref = (): void => {
    child.unref();
    child.channel?.unref();
  };
  unref();
  child.on('message', onMessage);
  child.on('error', onEnd);
  child.on('exit', (code, signal) => onEnd(new Error(`exit code ${code ?? signal}`)));
  return {
    // A failed send means that it has ended or is about to, and that is told anyway.
    post: (message) => void child.send(message as object, () => {}),
    ref: () => {
      child.ref();
      child.channel?.ref();
    },
    unref,
    stop: async () => {
      child.ref();
      child.kill('SIGKILL');
      await ended;
    },
  };
};
