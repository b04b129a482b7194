/**
 * The log of one request, or of one route. It is created on first use, which is rare: a pino logger for each would take
 * longer than routing.
 */

import type { FastifyBaseLogger } from 'fastify';

type Say = (...said: readonly unknown[]) => void;
type Level = 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent';
type Bindings = Parameters<FastifyBaseLogger['child']>[0];
type Parent = Pick<FastifyBaseLogger, 'child' | 'level'>;
type Made = Readonly<Record<Level, Say>> & Pick<FastifyBaseLogger, 'child' | 'level'>;

class RequestLog {
  readonly #parent: Parent;
  readonly #bindings: Bindings;
  #made: Made | undefined;

  constructor(parent: Parent, bindings: Bindings) {
    this.#parent = parent;
    this.#bindings = bindings;
  }

  get #log(): Made {
    return (this.#made ??= this.#parent.child(this.#bindings) as unknown as Made);
  }

  get level(): string {
    return this.#parent.level;
  }

  set level(level: string) {
    this.#log.level = level;
  }

  child(...how: Parameters<FastifyBaseLogger['child']>): FastifyBaseLogger {
    return this.#log.child(...how);
  }

  fatal(...said: readonly unknown[]): void {
    this.#log.fatal(...said);
  }

  error(...said: readonly unknown[]): void {
    this.#log.error(...said);
  }

  warn(...said: readonly unknown[]): void {
    this.#log.warn(...said);
  }

  info(...said: readonly unknown[]): void {
    this.#log.info(...said);
  }

  debug(...said: readonly unknown[]): void {
    this.#log.debug(...said);
  }

  trace(...said: readonly unknown[]): void {
    this.#log.trace(...said);
  }

  silent(...said: readonly unknown[]): void {
    this.#log.silent(...said);
  }
}

/** Makes the child logs of this one lazy. */
export function makeLogsLate(log: FastifyBaseLogger): void {
  const parent = { child: log.child.bind(log), level: log.level };
  const late = (bindings: Bindings): unknown => new RequestLog(parent, bindings);
  log.child = late as typeof log.child;
}
