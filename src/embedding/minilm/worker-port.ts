/** The other end of a channel: how the code that runs the model, in a thread or a process, talks to who started it. */

import { parentPort, workerData } from 'node:worker_threads';
import type { EngineOptions } from './load-engine.ts';

export interface WorkerPort {
  readonly options: EngineOptions;
  post(message: unknown): void;
  onMessage(listener: (message: unknown) => void): void;
}

/** Sent to everything in a terminal or a service; the process ends with the one that started it, not before. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

export function openWorkerPort(): WorkerPort {
  const port = parentPort;
  if (port !== null) {
    return {
      options: workerData as EngineOptions,
      post: (message) => port.postMessage(message),
      onMessage: (listener) => port.on('message', listener),
    };
  }
  for (const signal of SIGNALS) process.on(signal, () => {});
  process.once('disconnect', () => process.exit());
  return {
    options: JSON.parse(process.argv[2] ?? '{}') as EngineOptions,
    post: (message) => void process.send?.(message),
    onMessage: (listener) => process.on('message', listener),
  };
}
