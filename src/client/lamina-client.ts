/** Lamina over HTTP, with the interface of the embedded library. Runs in browsers too: nothing of Node here. */

import { LaminaError } from '../domain/error.ts';
import { principalSchema, type PrincipalInput } from '../domain/principal.ts';
import { DEFAULT_RETRY_POLICY, type RetryPolicy } from '../domain/retry.ts';
import { memoryOver, type Memory } from '../operations/memory.ts';
import { validate } from '../operations/validate.ts';
import { encodePrincipal } from '../operations/wire-headers.ts';
import type { HealthReport } from '../domain/health.ts';
import { fetchHealth } from './fetch-health.ts';
import type { Follow } from '../operations/table.ts';
import { createTransport, type Fetch, type Transport } from './exchange.ts';
import { followOver } from './remote-follow.ts';
import { invokeOver } from './remote-invoke.ts';

export interface LaminaClientOptions {
  /** Where the service is, such as `http://127.0.0.1:8787`; a path prefix is kept. */
  readonly url: string;
  /** For {@link LaminaClient.as} without an argument. Without it the service decides who is asking. */
  readonly principal?: PrincipalInput;
  /** Sent as `Authorization: Bearer`. */
  readonly token?: string;
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Replaces parts of the default policy; `{ maxAttempts: 1 }` turns retries off. */
  readonly retry?: Partial<RetryPolicy>;
  /** For each attempt. Default 30 seconds. */
  readonly timeoutMs?: number;
  readonly fetch?: Fetch;
}

const DEFAULT_TIMEOUT_MS = 30_000;

/**
 * Failures are `LaminaError`s with the code that the embedded library would give; a service that cannot be reached or does
 * not answer in time is `UNAVAILABLE`. Calls are retried by the retry policy, so a change may have been made although its
 * first answer was lost: a repeated `add` never stores twice, a repeated `update` with `expectedVersion` may fail with
 * `VERSION_CONFLICT`, and a repeated `delete` may find nothing left to delete.
 */
export class LaminaClient {
  readonly #principal: PrincipalInput | undefined;
  readonly #retry: RetryPolicy;
  readonly #transport: Transport;
  readonly #closing = new AbortController();
  readonly #pending = new Set<Promise<unknown>>();

  /** Throws `CONFIGURATION_ERROR` if the URL is invalid. Does not connect yet. */
  constructor(options: LaminaClientOptions) {
    this.#principal = options.principal;
    this.#retry = { ...DEFAULT_RETRY_POLICY, ...options.retry };
    this.#transport = createTransport({
      url: options.url,
      headers: {
        ...options.headers,
        ...(options.token !== undefined && { Authorization: `Bearer ${options.token}` }),
      },
      timeoutMs: options.timeoutMs ?? DEFAULT_TIMEOUT_MS,
      // A browser's fetch must be called on its window.
      fetch: options.fetch ?? ((url, init) => globalThis.fetch(url, init)),
    });
  }

  /**
   * Memory as this principal sees it. With a token or a key, leave it out or name its own user: every call for another user
   * is `FORBIDDEN`, unless the key has the role `delegate`. Throws `VALIDATION_FAILED` if the principal is invalid.
   */
  as(principal: PrincipalInput | undefined = this.#principal): Memory {
    if (principal !== undefined) validate(principalSchema, principal);
    const headers = principal ? encodePrincipal(principal) : {};
    const invoke = invokeOver(this.#transport.exchange, headers, this.#retry);
    const follow = followOver(this.#transport.open, headers, this.#retry);
    return memoryOver((name, input) => this.#track(() => invoke(name, input)), this.#untilClosed(follow));
  }

  /** The health of the service. Not retried. Throws `UNAVAILABLE` if it cannot be reached. */
  health(): Promise<HealthReport> {
    return this.#track(() => fetchHealth(this.#transport.exchange));
  }

  /** Waits for pending calls, except streams; these, and later calls, fail with `UNAVAILABLE`. */
  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.allSettled(this.#pending);
  }

  async #track<T>(work: () => Promise<T>): Promise<T> {
    this.#assertOpen();
    const promise = work();
    this.#pending.add(promise);
    try {
      return await promise;
    } finally {
      this.#pending.delete(promise);
    }
  }

  #untilClosed(follow: Follow): Follow {
    const closing = this.#closing.signal;
    const assertOpen = (): void => this.#assertOpen();
    return async function* (name, input, signal) {
      assertOpen();
      yield* follow(name, input, signal ? AbortSignal.any([signal, closing]) : closing);
      if (!signal?.aborted) assertOpen();
    };
  }

  #assertOpen(): void {
    if (this.#closing.signal.aborted) throw new LaminaError('UNAVAILABLE', 'The client is closed.');
  }
}
