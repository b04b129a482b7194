/** Ctrl-C, SIGTERM and a pipe that nobody reads any more: the first asks a command to stop, a second Ctrl-C insists. */

import { setImmediate as nextTurn } from 'node:timers/promises';
import { LaminaError } from '../../domain/error.ts';
import { EXIT_CODES } from '../exit-code.ts';

/**
 * Under `npm start` one Ctrl-C arrives twice: from the terminal, and passed on by npm. What comes this soon after
 * the first is the same request.
 */
const SAME_REQUEST_MS = 1000;

const STOPS = { SIGINT: EXIT_CODES.interrupted.code, SIGTERM: EXIT_CODES.terminated.code } as const;

/** Why a command stops before its end: the reason of its signal. */
export class Stopped extends Error {
  readonly code: number;

  constructor(message: string, code: number) {
    super(message);
    this.code = code;
  }
}

/** Of this process. Aborted by the first signal; from then on another one ends the process at once. */
export function stopSignal(): AbortSignal {
  const controller = new AbortController();
  let firstAt: number | undefined;
  const handle = (name: keyof typeof STOPS): void => {
    if (firstAt !== undefined && performance.now() - firstAt > SAME_REQUEST_MS) process.exit(STOPS[name]);
    firstAt ??= performance.now();
    controller.abort(new Stopped('Stopped.', STOPS[name]));
  };
  const broken = (error: NodeJS.ErrnoException): void => {
    const isClosed = error.code === 'EPIPE';
    controller.abort(isClosed ? new Stopped('', EXIT_CODES.ok.code) : outputError(error));
  };
  process.on('SIGINT', handle);
  process.on('SIGTERM', handle);
  process.stdout.on('error', broken);
  process.stderr.on('error', broken);
  return controller.signal;
}

function outputError(cause: Error): LaminaError {
  return new LaminaError('UNAVAILABLE', 'The output could not be written: it is not complete.', {
    advice: 'Make room where it goes, or write it elsewhere.',
    cause,
  });
}

/** Once a command is through: throws where what it wrote did not arrive, which is heard of only afterwards. */
export async function assertWritten(signal: AbortSignal): Promise<void> {
  await nextTurn();
  if (signal.reason instanceof LaminaError) throw signal.reason;
}

/** Resolves once it is asked to stop. */
export function untilStopped(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}

/**
 * Between two pages: lets the process hear a signal, for which a database in this process leaves it no time, and throws
 * the signal's reason where there was one.
 */
export async function betweenPages(signal: AbortSignal): Promise<void> {
  await nextTurn();
  signal.throwIfAborted();
}

/** What the work resolves with, unless it is asked to stop before. Throws the signal's reason then. */
export async function unlessStopped<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  const stop = untilStopped(signal).then(() => signal.throwIfAborted());
  return (await Promise.race([work, stop])) as T;
}
