/** One connection to Redis: reconnected whenever it is lost, with nothing waiting for it meanwhile. */

import type * as redisPackage from '@redis/client';
import { LaminaError } from '../../domain/error.ts';
import { inTime } from '../../domain/in-time.ts';
import { answered, codeOf, isRefused, unreachable } from './redis-error.ts';
import { redisKeys, type RedisKeys } from './redis-keys.ts';
import type { RedisScript } from './redis-script.ts';

/** Timeout of an answer; the connection is then dropped, because no later answer would come either. */
const ANSWER_TIMEOUT_MS = 5000;
const CONNECT_TIMEOUT_MS = 5000;
const MAX_RECONNECT_PAUSE_MS = 1000;

/** The most pending commands: with more, the server does not keep up. */
const MAX_PENDING = 50_000;

export type RedisArgument = string | Buffer;

/** As Redis gives it, in the second version of its protocol. */
export type RedisReply = string | number | null | RedisReply[];

export interface RedisConnectionOptions {
  /** `redis://…` or `rediss://…`. */
  readonly url: string;
  /** The prefix of all names. */
  readonly prefix: string;
  readonly answerTimeoutMs?: number;
}

/** What a command does: a write whose answer is lost may have been done. */
type Effect = 'reads' | 'writes';

type RedisPackage = typeof redisPackage;
type Client = redisPackage.RedisClientType<{}, {}, {}, 2>;

export class RedisConnection {
  readonly keys: RedisKeys;
  readonly #redis: RedisPackage;
  readonly #url: string;
  readonly #answerTimeoutMs: number;
  readonly #readyListeners = new Set<() => void>();
  readonly #failureListeners = new Set<() => void>();
  #client: Client;
  #isClosed = false;
  #failure: unknown;
  #epoch = 0;

  private constructor(
    redis: RedisPackage,
    { url, prefix, answerTimeoutMs = ANSWER_TIMEOUT_MS }: RedisConnectionOptions,
  ) {
    this.keys = redisKeys(prefix);
    this.#redis = redis;
    this.#url = url;
    this.#answerTimeoutMs = answerTimeoutMs;
    this.#client = this.#connect();
  }

  /** Throws `CONFIGURATION_ERROR` if the client is not installed. Starts to connect without waiting. */
  static async open(options: RedisConnectionOptions): Promise<RedisConnection> {
    const redis = await import('@redis/client').catch((cause: unknown) => {
      const message = 'Redis needs the package "@redis/client": npm install @redis/client';
      throw new LaminaError('CONFIGURATION_ERROR', message, { cause });
    });
    return new RedisConnection(redis, options);
  }

  get isReady(): boolean {
    return this.#client.isReady;
  }

  /** Incremented with each new connection. */
  get epoch(): number {
    return this.#epoch;
  }

  /** Why the last attempt to connect failed; null if unknown. */
  get failure(): unknown {
    return this.#failure ?? null;
  }

  onReady(listener: () => void): void {
    this.#readyListeners.add(listener);
  }

  /** Resolves when it has been tried for the first time: true when it stands. */
  async tried(): Promise<boolean> {
    if (!this.isReady && this.#failure === undefined) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, CONNECT_TIMEOUT_MS);
      this.#readyListeners.add(resolve);
      this.#failureListeners.add(resolve);
      await promise;
      clearTimeout(timer);
      this.#readyListeners.delete(resolve);
      this.#failureListeners.delete(resolve);
    }
    return this.isReady;
  }

  /** Throws `UNAVAILABLE`, at once if there is no connection. */
  async send(command: readonly RedisArgument[], effect: Effect): Promise<RedisReply> {
    try {
      return await this.#ask(command, effect);
    } catch (error) {
      throw this.#told(error);
    }
  }

  /** Runs a script, and loads it if Redis does not know it yet. Throws `UNAVAILABLE`. */
  async run(
    script: RedisScript,
    keys: readonly string[],
    values: readonly RedisArgument[],
    effect: Effect,
  ): Promise<RedisReply> {
    const rest = [String(keys.length), ...keys, ...values];
    try {
      return await this.#ask(['EVALSHA', script.hash, ...rest], effect);
    } catch (error) {
      if (codeOf(error) !== 'NOSCRIPT') throw this.#told(error);
      return this.send(['EVAL', script.text, ...rest], effect);
    }
  }

  /** Waits for pending calls, though not for long. Later calls fail. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    const client = this.#client;
    if (!client.isReady) return client.destroy();
    const timer = setTimeout(() => client.destroy(), this.#answerTimeoutMs);
    try {
      await client.close().catch(() => {});
    } finally {
      clearTimeout(timer);
    }
  }

  #connect(): Client {
    const client: Client = this.#redis.createClient({
      url: this.#url,
      RESP: 2,
      disableOfflineQueue: true,
      commandsQueueMaxLength: MAX_PENDING,
      maintNotifications: 'disabled',
      socket: {
        connectTimeout: CONNECT_TIMEOUT_MS,
        reconnectStrategy: (retries) => Math.min(20 * 2 ** retries, MAX_RECONNECT_PAUSE_MS) * (0.5 + Math.random() / 2),
      },
    });
    client.on('error', (error: unknown) => {
      if (client !== this.#client) return;
      this.#failure = error;
      for (const listener of this.#failureListeners) listener();
    });
    client.on('ready', () => {
      if (client !== this.#client) return;
      this.#failure = undefined;
      this.#epoch += 1;
      for (const listener of this.#readyListeners) listener();
    });
    // It tries for as long as it takes; why it failed is told by the event.
    client.connect().catch(() => {});
    return client;
  }

  async #ask(command: readonly RedisArgument[], effect: Effect): Promise<RedisReply> {
    const client = this.#client;
    if (!client.isReady || this.#isClosed) throw unreachable(this.#reason(), this.#failure);
    try {
      return await inTime(client.sendCommand<RedisReply>(command), this.#answerTimeoutMs, () => {
        this.#giveUp(client);
        return unreachable('it does not answer', undefined, effect === 'reads');
      });
    } catch (error) {
      const isAnswer = error instanceof this.#redis.ErrorReply;
      throw isAnswer || error instanceof LaminaError ? error : this.#lost(error, effect);
    }
  }

  /** What was asked before is answered by no connection that comes after. */
  #giveUp(client: Client): void {
    if (client !== this.#client || this.#isClosed) return;
    this.#client = this.#connect();
    client.destroy();
  }

  #told(error: unknown): LaminaError {
    if (error instanceof LaminaError) return error;
    // A server that was demoted to a replica stays connected; reconnecting finds the new primary.
    if (codeOf(error) === 'READONLY') this.#giveUp(this.#client);
    return answered(error as Error);
  }

  #reason(): string {
    if (this.#isClosed) return 'the connection was closed';
    if (isRefused(this.#failure)) return 'it refuses the user or the password';
    return 'it cannot be reached';
  }

  #lost(error: unknown, effect: Effect): LaminaError {
    if (error instanceof Error && error.message === 'The queue is full') {
      return new LaminaError('UNAVAILABLE', 'Redis does not keep up with what it is asked.', { cause: error });
    }
    const { ClientOfflineError, ClientClosedError } = this.#redis;
    const wasNeverSent = error instanceof ClientOfflineError || error instanceof ClientClosedError;
    return unreachable('the connection was lost', error, wasNeverSent || effect === 'reads');
  }
}
