/** Starts the service that is fuzzed, in a process of its own, and tells what it takes of memory. */

import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { SECRET } from '../identity-service.ts';

export interface ServiceMemory {
  readonly rss: number;
  readonly heap: number;
}

export interface FuzzedService {
  readonly url: string;
  /** What it logged: only failures that are its own. */
  log(): string;
  isRunning(): boolean;
  /** After a collection of garbage. */
  memory(): Promise<ServiceMemory>;
  close(): Promise<void>;
}

interface ServiceOptions {
  readonly database: string;
  readonly inspectorFolder?: string;
  readonly redis?: string;
}

interface Told {
  readonly url?: string;
  readonly memory?: ServiceMemory;
}

/** Resolves when it listens. Tokens are those of `identity-service.ts`. */
export async function startFuzzedService(options: ServiceOptions): Promise<FuzzedService> {
  const { database, inspectorFolder = '', redis = '' } = options;
  const program = fileURLToPath(new URL('service-process.ts', import.meta.url));
  const child = fork(program, [database, SECRET, inspectorFolder, redis], {
    execArgv: ['--expose-gc'],
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  let logged = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    logged = (logged + chunk.toString('utf8')).slice(-100_000);
  });
  const { url } = await told(child, () => logged);
  if (url === undefined) throw new Error('The service did not say where it listens.');
  return {
    url,
    log: () => logged,
    isRunning: () => isRunning(child),
    memory: async () => {
      const answer = told(child, () => logged);
      child.send('memory');
      const { memory } = await answer;
      return memory ?? { rss: 0, heap: 0 };
    },
    close: async () => {
      if (!isRunning(child)) return;
      const ended = once(child, 'exit');
      child.disconnect();
      await ended;
    },
  };
}

function isRunning({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode === null && signalCode === null;
}

async function told(child: ChildProcess, log: () => string): Promise<Told> {
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`The service has ended with ${String(code)}:\n${log()}`);
  });
  const [answer] = (await Promise.race([once(child, 'message'), ended])) as [Told];
  return answer;
}
