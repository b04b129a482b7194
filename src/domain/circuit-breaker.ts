/** A circuit breaker: a provider that keeps failing is not called for a while, so that nobody waits for it in vain. */

import { LaminaError } from './error.ts';
import { askedDelay, withRetries, type Random, type RetryPolicy } from './retry.ts';

export interface CircuitPolicy {
  /** This many failures in a row open the circuit. */
  readonly failureThreshold: number;
  /** How long it then stays open; twice as long after each probe that fails. */
  readonly pauseMs: number;
  readonly maxPauseMs: number;
}

const DEFAULT_CIRCUIT_POLICY: CircuitPolicy = { failureThreshold: 5, pauseMs: 10_000, maxPauseMs: 120_000 };

/**
 * closed: calls go through. open: none do, until the time is up. half-open: one goes through as a probe. `opened` counts
 * how often it opened since it was last closed.
 */
export type Circuit =
  | { readonly status: 'closed'; readonly failures: number }
  | { readonly status: 'open'; readonly opened: number; readonly until: number }
  | { readonly status: 'half-open'; readonly opened: number };

const CLOSED: Circuit = { status: 'closed', failures: 0 };

/** The circuit as it lets a call through now, or null when it does not. */
function admitted(circuit: Circuit, now: number): Circuit | null {
  if (circuit.status === 'closed') return circuit;
  if (circuit.status === 'half-open' || now < circuit.until) return null;
  return { status: 'half-open', opened: circuit.opened };
}

/** After a call admitted under `by` has failed; `askedMs` is the wait that the provider asked for. */
function afterFailure(circuit: Circuit, by: Circuit, policy: CircuitPolicy, now: number, askedMs: number): Circuit {
  // A call that began while the circuit was closed says nothing about one that has opened since.
  if (circuit.status !== by.status) return circuit;
  if (circuit.status === 'closed') {
    const failures = circuit.failures + 1;
    return failures < policy.failureThreshold ? { status: 'closed', failures } : opened(1, policy, now, askedMs);
  }
  return circuit.status === 'half-open' ? opened(circuit.opened + 1, policy, now, askedMs) : circuit;
}

/** After a call admitted under `by` has succeeded. */
function afterSuccess(circuit: Circuit, by: Circuit): Circuit {
  return circuit.status === by.status ? CLOSED : circuit;
}

function opened(times: number, policy: CircuitPolicy, now: number, askedMs: number): Circuit {
  const pause = Math.max(policy.pauseMs * 2 ** (times - 1), askedMs);
  return { status: 'open', opened: times, until: now + Math.min(policy.maxPauseMs, pause) };
}

/** How long a caller is told to wait while a probe is under way. */
const PROBE_MS = 1000;

/** One per provider. Only retryable failures count: a provider that refuses a key or an input is alive. */
export class CircuitBreaker {
  readonly #name: string;
  readonly #policy: CircuitPolicy;
  readonly #now: () => number;
  #circuit: Circuit = CLOSED;
  /** The failure that opened the circuit. */
  #failure: unknown;

  /** `name` appears in messages: "The provider mem0". */
  constructor(name: string, now: () => number, policy: CircuitPolicy = DEFAULT_CIRCUIT_POLICY) {
    this.#name = name;
    this.#now = now;
    this.#policy = policy;
  }

  /** The current state: an open circuit is half-open once its time is up. */
  get status(): Circuit['status'] {
    return this.retryAfterMs > 0 || this.#circuit.status === 'closed' ? this.#circuit.status : 'half-open';
  }

  /** Milliseconds until the next call goes through; 0 when one would go through now. */
  get retryAfterMs(): number {
    if (this.#circuit.status === 'half-open') return PROBE_MS;
    return this.#circuit.status === 'open' ? Math.max(0, this.#circuit.until - this.#now()) : 0;
  }

  /** Throws `UNAVAILABLE` at once, with `details.retryAfterMs`, while the circuit is open. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    const by = admitted(this.#circuit, this.#now());
    if (by === null) throw this.#refusal();
    this.#circuit = by;
    try {
      const value = await work();
      this.#circuit = afterSuccess(this.#circuit, by);
      return value;
    } catch (error) {
      const isFailure = !(error instanceof LaminaError) || error.retryable;
      const asked = error instanceof LaminaError ? askedDelay(error) : 0;
      if (isFailure) this.#failure = error;
      this.#circuit = isFailure
        ? afterFailure(this.#circuit, by, this.#policy, this.#now(), asked)
        : afterSuccess(this.#circuit, by);
      throw error;
    }
  }

  #refusal(): LaminaError {
    const { retryAfterMs } = this;
    const cause = this.#failure;
    const seconds = Math.ceil(retryAfterMs / 1000);
    // Only the message of a LaminaError may be shown.
    const last = cause instanceof LaminaError ? ` The last failure: ${cause.message}` : '';
    return new LaminaError(
      'UNAVAILABLE',
      `${this.#name} kept failing and is left alone; it is asked again in ${seconds} s.${last}`,
      { details: { retryAfterMs, circuit: this.#circuit.status }, cause },
    );
  }
}

interface Patience {
  readonly retry: RetryPolicy;
  readonly sleep: (ms: number) => Promise<void>;
  readonly random?: Random | undefined;
}

/** Retries according to the policy, each attempt through the breaker. Does not wait for an open circuit. */
export function withBreaker<T>(
  breaker: CircuitBreaker,
  { retry, sleep, random }: Patience,
  work: () => Promise<T>,
): Promise<T> {
  const retryableCodes = retry.retryableCodes.filter((code) => code !== 'UNAVAILABLE');
  const wait = async (ms: number): Promise<void> => {
    if (breaker.retryAfterMs === 0) await sleep(ms);
  };
  return withRetries({ ...retry, retryableCodes }, wait, () => breaker.run(work), random);
}
