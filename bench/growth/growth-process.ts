/** A process for each size, so that its memory is its own: the parent asks by name, the child answers. */

import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';

type Task = (input: never) => Promise<unknown>;
type Tasks = Readonly<Record<string, Task>>;

interface Request {
  readonly name: string;
  readonly input: unknown;
}

type Answer = { readonly value: unknown } | { readonly failure: string };

/** In the child: does what it is asked, one after another, until the parent lets go. */
export function performTasks(tasks: Tasks): void {
  const perform = async ({ name, input }: Request): Promise<Answer> => {
    const task = tasks[name] as ((input: unknown) => Promise<unknown>) | undefined;
    try {
      return { value: await task?.(input) };
    } catch (error) {
      return { failure: error instanceof Error ? (error.stack ?? error.message) : String(error) };
    }
  };
  process.on('message', (request) => void perform(request as Request).then((answer) => process.send?.(answer)));
  process.on('disconnect', () => process.exit());
}

/** In the parent. */
export class GrowthProcess<T extends Tasks> {
  readonly #child: ChildProcess;
  readonly #ended: Promise<Answer>;

  constructor(module: URL) {
    this.#child = fork(module, { execArgv: ['--expose-gc'], serialization: 'advanced' });
    this.#ended = new Promise((resolve) => {
      this.#child.once('exit', (code, signal) => resolve({ failure: `The process ended with ${code ?? signal}.` }));
    });
  }

  /** Throws what the child threw, or that it has ended. */
  async ask<Name extends keyof T & string>(
    name: Name,
    input: Parameters<T[Name]>[0],
  ): Promise<Awaited<ReturnType<T[Name]>>> {
    const answered = once(this.#child, 'message').then(([message]) => message as Answer);
    this.#child.send({ name, input } satisfies Request);
    const answer = await Promise.race([answered, this.#ended]);
    if ('failure' in answer) throw new Error(answer.failure);
    return answer.value as Awaited<ReturnType<T[Name]>>;
  }

  async end(): Promise<void> {
    if (this.#child.connected) this.#child.disconnect();
    await this.#ended;
  }
}
