/** How often and how patiently a failed call is retried. */

import { LaminaError, type ErrorCode } from './error.ts';

/** The specification calls it `RetryConfig`. */
export interface RetryPolicy {
  readonly maxAttempts: number;
  readonly initialDelayMs: number;
  readonly maxDelayMs: number;
  readonly backoffMultiplier: number;
  readonly retryableCodes: readonly ErrorCode[];
}

/** The defaults of the specification, plus `UNAVAILABLE`, which it does not have. */
export const DEFAULT_RETRY_POLICY: RetryPolicy = {
  maxAttempts: 3,
  initialDelayMs: 1000,
  maxDelayMs: 30_000,
  backoffMultiplier: 2,
  retryableCodes: ['EMBEDDING_FAILED', 'PROVIDER_ERROR', 'RATE_LIMITED', 'UNAVAILABLE'],
};

/** Between 0 and 1. */
export type Random = () => number;

/** No jitter: for a single client, and for tests. */
const LAST: Random = () => 1;

/**
 * Milliseconds to wait after the given failed attempt (1 for the first). With `random`, somewhere in the second half of
 * that, so that clients that failed together do not retry together.
 */
export function retryDelay(policy: RetryPolicy, attempt: number, random: Random = LAST): number {
  const delay = Math.min(policy.maxDelayMs, policy.initialDelayMs * policy.backoffMultiplier ** (attempt - 1));
  return Math.round(delay * (0.5 + 0.5 * random()));
}

/** Milliseconds that a `Retry-After` header asks for: seconds or an HTTP date. */
export function retryAfterMs(header: string | null, now: number): number | undefined {
  if (header === null || header.trim() === '') return undefined;
  const seconds = Number(header);
  const wait = Number.isNaN(seconds) ? Date.parse(header) - now : seconds * 1000;
  return Number.isFinite(wait) ? Math.max(0, Math.ceil(wait)) : undefined;
}

/** Milliseconds that a failure asks to wait; 0 if it does not. */
export function askedDelay(error: LaminaError): number {
  const asked = Number(error.details?.['retryAfterMs'] ?? 0);
  return asked > 0 ? asked : 0;
}

/**
 * Runs `work` until it succeeds, fails with a code that the policy does not retry, or is out of attempts. An error with
 * `details.retryAfterMs` is retried no sooner than that; if it asks for more than the policy waits, it is thrown at once,
 * for a caller that can wait longer. One with `details.permanent` is not retried.
 */
export async function withRetries<T>(
  policy: RetryPolicy,
  sleep: (ms: number) => Promise<void>,
  work: () => Promise<T>,
  random?: Random,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      const canRetry = error instanceof LaminaError && policy.retryableCodes.includes(error.code);
      if (!canRetry || !error.retryable || attempt >= policy.maxAttempts) throw error;
      if (askedDelay(error) > policy.maxDelayMs) throw error;
      await sleep(waitAfter(error, policy, attempt, random));
    }
  }
}

/** The requested wait is the minimum: jitter is added to it. */
function waitAfter(error: LaminaError, policy: RetryPolicy, attempt: number, random: Random | undefined): number {
  const asked = askedDelay(error);
  const spread = asked > 0 && random !== undefined ? Math.round(policy.initialDelayMs * random()) : 0;
  return Math.min(policy.maxDelayMs, Math.max(asked + spread, retryDelay(policy, attempt, random)));
}
