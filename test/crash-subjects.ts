/** Processes with Lamina in them that are there to be killed: the service, and a program that embeds it. */

import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { LaminaClient } from '../src/client/index.ts';
import { LaminaError, type ErrorBody } from '../src/domain/error.ts';
import type { PrincipalInput } from '../src/domain/principal.ts';
import type { StreamPage } from '../src/domain/stream.ts';
import { memoryOver, type Memory } from '../src/operations/memory.ts';
import type { Follow, Invoke, OperationName } from '../src/operations/table.ts';
import { AGENT } from './crash-steps.ts';
import { LaminaProcess } from './lamina-process.ts';

/** What an embedding process is told: to call something, or (without a name) to follow something no longer. */
export interface Told {
  readonly number: number;
  readonly name?: OperationName;
  readonly input?: unknown;
  readonly isStream?: boolean;
}

interface Answer {
  readonly number?: number;
  readonly isReady?: true;
  readonly output?: unknown;
  readonly error?: ErrorBody;
}

export interface RunningSubject {
  readonly memory: Memory;
  readonly pid: number;
  /** `kill -9`. Resolves when it is gone. */
  kill(): Promise<void>;
  /** As it should be stopped; the exit code. */
  end(): Promise<number | null>;
}

/** An administrator too, because maintenance is for those. */
const PRINCIPAL: PrincipalInput = { userId: 'crash', agentId: AGENT, roles: ['admin'] };

/** `lamina serve`, as it is. Nothing is tried twice, so that every answer is that of one attempt. */
export async function startService(
  folder: string,
  environment: Readonly<Record<string, string>>,
): Promise<RunningSubject> {
  const program = new LaminaProcess(['serve', '--port', '0'], folder, environment);
  const client = new LaminaClient({ url: await program.listening(), retry: { maxAttempts: 1 } });
  const ending = async (signal: NodeJS.Signals): Promise<number | null> => {
    program.child.kill(signal);
    return (await program.ended()).code;
  };
  return {
    memory: client.as(PRINCIPAL),
    pid: program.child.pid ?? 0,
    kill: async () => void (await ending('SIGKILL')),
    end: () => ending('SIGTERM'),
  };
}

const PROGRAM = fileURLToPath(new URL('crash-embedded.ts', import.meta.url));

/** A program that embeds Lamina and is told over its pipes what to call. */
export async function startEmbedded(database: string): Promise<RunningSubject> {
  const own = await EmbeddedProcess.start(database, PRINCIPAL);
  return { memory: own.memory, pid: own.pid, kill: () => own.kill(), end: () => own.end() };
}

class EmbeddedProcess {
  readonly memory: Memory;
  readonly #child: ChildProcessByStdio<Writable, Readable, null>;
  readonly #ended: Promise<unknown>;
  readonly #waiting = new Map<number, (answer: Answer) => void>();
  readonly #ready = Promise.withResolvers<void>();
  #count = 0;

  private constructor(database: string, principal: PrincipalInput) {
    this.#child = spawn(process.execPath, [PROGRAM, database, JSON.stringify(principal)], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    // Telling something to one that is gone is answered by its end.
    this.#child.stdin.on('error', () => {});
    const lines = createInterface({ input: this.#child.stdout });
    lines.on('line', (line) => this.#hear(line));
    this.#ended = Promise.all([once(this.#child, 'exit'), once(lines, 'close')]).then(() => this.#giveUp());
    this.memory = memoryOver(
      ((name: OperationName, input: unknown) => this.#call({ name, input })) as Invoke,
      ((name: OperationName, input: unknown) => this.#follow({ name, input, isStream: true })) as Follow,
    );
  }

  static async start(database: string, principal: PrincipalInput): Promise<EmbeddedProcess> {
    const started = new EmbeddedProcess(database, principal);
    await started.#ready.promise;
    return started;
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#ended;
  }

  async end(): Promise<number | null> {
    this.#child.stdin.end();
    await this.#ended;
    return this.#child.exitCode;
  }

  #hear(line: string): void {
    const answer = parsed(line);
    if (answer.isReady) this.#ready.resolve();
    else if (answer.number !== undefined) this.#waiting.get(answer.number)?.(answer);
  }

  #giveUp(): void {
    this.#ready.reject(new Error('The process ended before it was ready.'));
    for (const [number, hear] of this.#waiting) hear({ number });
  }

  #tell(told: Omit<Told, 'number'>, hear: (answer: Answer) => void): number {
    this.#count += 1;
    const number = this.#count;
    this.#waiting.set(number, hear);
    this.#child.stdin.write(`${JSON.stringify({ ...told, number })}\n`);
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) hear({ number });
    return number;
  }

  async #call(told: Omit<Told, 'number'>): Promise<unknown> {
    const { promise, resolve } = Promise.withResolvers<Answer>();
    const number = this.#tell(told, resolve);
    const answer = await promise;
    this.#waiting.delete(number);
    return outputOf(answer);
  }

  async *#follow(told: Omit<Told, 'number'>): AsyncGenerator<StreamPage<unknown>> {
    const pages: Answer[] = [];
    let wake = (): void => {};
    const number = this.#tell(told, (answer) => {
      pages.push(answer);
      wake();
    });
    try {
      for (;;) {
        const page = pages.shift();
        if (page !== undefined) yield outputOf(page) as StreamPage<unknown>;
        else await new Promise<void>((resolve) => (wake = resolve));
      }
    } finally {
      this.#waiting.delete(number);
      this.#child.stdin.write(`${JSON.stringify({ number })}\n`);
    }
  }
}

/** A line that was cut off by the end of the process tells nobody anything. */
function parsed(line: string): Answer {
  try {
    return JSON.parse(line) as Answer;
  } catch {
    return {};
  }
}

function outputOf({ output, error }: Answer): unknown {
  if (output !== undefined) return output;
  if (error === undefined) throw new LaminaError('UNAVAILABLE', 'The process is gone.', { cause: 'killed' });
  const { code, message, operation, details } = error;
  throw new LaminaError(code, message, { operation, ...(details && { details }) });
}
