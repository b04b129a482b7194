/** How often and how patiently a failed call is tried again. */

import { LaminaError, type ErrorCode } from './error.ts';

export interface RetryPolicy {
  readonly maxAttempts: number;
  readonly initialDelayMs: number;
  readonly maxDelayMs: number;
  readonly backoffMultiplier: number;
  readonly retryableCodes: readonly ErrorCode[];
}

export const DEFAULT_RETRY_POLICY: RetryPolicy = {
  maxAttempts: 3,
  initialDelayMs: 1000,
  maxDelayMs: 30_000,
  backoffMultiplier: 2,
  retryableCodes: ['EMBEDDING_FAILED', 'PROVIDER_ERROR', 'RATE_LIMITED', 'UNAVAILABLE'],
};

/** Milliseconds to wait after the given failed attempt (1 for the first). */
export function retryDelay(policy: RetryPolicy, attempt: number): number {
  return Math.min(policy.maxDelayMs, policy.initialDelayMs * policy.backoffMultiplier ** (attempt - 1));
}

/**
 * Runs `work` until it succeeds, fails with a code that the policy does not retry, or has had its attempts.
 * An error whose details name `retryAfterMs` is waited out for at least that long (but never past the maximum);
 * one whose details say `permanent: true` is not tried again.
 */
export async function withRetries<T>(
  policy: RetryPolicy,
  sleep: (ms: number) => Promise<void>,
  work: () => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      const canRetry = error instanceof LaminaError && policy.retryableCodes.includes(error.code);
      if (!canRetry || !error.retryable || attempt >= policy.maxAttempts) throw error;
      const asked = Number(error.details?.['retryAfterMs'] ?? 0);
      await sleep(Math.min(policy.maxDelayMs, Math.max(asked, retryDelay(policy, attempt))));
    }
  }
}
