/** How often and how patiently a failed call is tried again. */

import { LaminaError, type ErrorCode } from './error.ts';

/** The specification calls it `RetryConfig`. */
export interface RetryPolicy {
  readonly maxAttempts: number;
  readonly initialDelayMs: number;
  readonly maxDelayMs: number;
  readonly backoffMultiplier: number;
  readonly retryableCodes: readonly ErrorCode[];
}

/** The defaults of the specification, and `UNAVAILABLE`, which it does not know. */
export const DEFAULT_RETRY_POLICY: RetryPolicy = {
  maxAttempts: 3,
  initialDelayMs: 1000,
  maxDelayMs: 30_000,
  backoffMultiplier: 2,
  retryableCodes: ['EMBEDDING_FAILED', 'PROVIDER_ERROR', 'RATE_LIMITED', 'UNAVAILABLE'],
};

/** Between 0 and 1. */
export type Random = () => number;

/** No jitter: for who is alone, and for tests. */
const LAST: Random = () => 1;

/**
 * Milliseconds to wait after the given failed attempt (1 for the first). With `random`, somewhere in the second half of
 * that: those who failed together do not come back together.
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

/** Milliseconds that a failure asks to be waited for; 0 where it does not. */
export function askedDelay(error: LaminaError): number {
  const asked = Number(error.details?.['retryAfterMs'] ?? 0);
  return asked > 0 ? asked : 0;
}

/**
 * Runs `work` until it succeeds, fails with a code that the policy does not retry, or has had its attempts.
 * An error whose details name `retryAfterMs` is waited out for at least that long; one that asks for longer than the policy
 * waits is thrown at once, for whoever can wait so long. One whose details say `permanent: true` is not tried again.
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

/** What was asked for is the least: jitter comes on top of it. */
function waitAfter(error: LaminaError, policy: RetryPolicy, attempt: number, random: Random | undefined): number {
  const asked = askedDelay(error);
  const spread = asked > 0 && random !== undefined ? Math.round(policy.initialDelayMs * random()) : 0;
  return Math.min(policy.maxDelayMs, Math.max(asked + spread, retryDelay(policy, attempt, random)));
}
