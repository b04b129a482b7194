/** How long a failed call is waited for: backoff, jitter, and what the other side asks for. */

import { describe, expect, it } from 'vitest';
import { LaminaError } from '../src/domain/error.ts';
import { DEFAULT_RETRY_POLICY, retryAfterMs, retryDelay, withRetries, type Random } from '../src/domain/retry.ts';
import { SeededRandom } from '../src/testing/seeded-random.ts';

const failing = (details?: Record<string, unknown>): LaminaError =>
  new LaminaError('PROVIDER_ERROR', 'It failed.', { ...(details && { details }) });

async function thrown(error: Error): Promise<never> {
  throw error;
}

/** What is slept while every attempt fails. */
async function waits(error: Error, random?: Random): Promise<number[]> {
  const slept: number[] = [];
  const sleep = async (ms: number): Promise<void> => void slept.push(ms);
  await expect(withRetries(DEFAULT_RETRY_POLICY, sleep, () => thrown(error), random)).rejects.toBe(error);
  return slept;
}

describe('the retry strategy', () => {
  it('is that of the specification, and knows UNAVAILABLE as well', () => {
    expect(DEFAULT_RETRY_POLICY).toEqual({
      maxAttempts: 3,
      initialDelayMs: 1000,
      maxDelayMs: 30_000,
      backoffMultiplier: 2,
      retryableCodes: ['EMBEDDING_FAILED', 'PROVIDER_ERROR', 'RATE_LIMITED', 'UNAVAILABLE'],
    });
  });

  it('waits twice as long each time, to a limit', async () => {
    expect(await waits(failing())).toEqual([1000, 2000]);
    expect([1, 2, 3, 5, 6, 60].map((attempt) => retryDelay(DEFAULT_RETRY_POLICY, attempt))).toEqual([
      1000, 2000, 4000, 16_000, 30_000, 30_000,
    ]);
  });

  it('scatters in the second half of that', () => {
    const random = new SeededRandom(7);
    const delays = Array.from({ length: 200 }, () => retryDelay(DEFAULT_RETRY_POLICY, 2, () => random.next()));
    expect(Math.min(...delays)).toBeGreaterThanOrEqual(1000);
    expect(Math.max(...delays)).toBeLessThanOrEqual(2000);
    expect(new Set(delays).size).toBeGreaterThan(100);
  });

  it('waits at least as long as it is asked to, scattered after that and not before', async () => {
    expect(await waits(failing({ retryAfterMs: 7000 }))).toEqual([7000, 7000]);
    expect(await waits(failing({ retryAfterMs: 7000 }), () => 0.5)).toEqual([7500, 7500]);
    expect(await waits(failing({ retryAfterMs: 10 }), () => 0)).toEqual([500, 1000]);
    expect(await waits(failing({ retryAfterMs: 30_000 }), () => 0.5)).toEqual([30_000, 30_000]);
  });

  it('does not ask again sooner than it was asked to: what is too long to wait for fails at once', async () => {
    for (const asked of [30_001, 86_400_000]) expect(await waits(failing({ retryAfterMs: asked }))).toEqual([]);
  });

  it('does not try again what cannot pass', async () => {
    expect(await waits(failing({ permanent: true }))).toEqual([]);
    expect(await waits(new LaminaError('MEMORY_NOT_FOUND', 'It is not there.'))).toEqual([]);
    expect(await waits(new TypeError('a bug'))).toEqual([]);
  });

  it.each([
    ['7', 7000],
    [' 1.5 ', 1500],
    ['0', 0],
    ['-3', 0],
    ['Thu, 01 Jan 2026 00:00:12 GMT', 12_000],
    ['Wed, 31 Dec 2025 00:00:00 GMT', 0],
    ['soon', undefined],
    ['', undefined],
    [null, undefined],
  ])('reads Retry-After %j', (header, expected) => {
    expect(retryAfterMs(header, Date.parse('2026-01-01T00:00:00Z'))).toBe(expected);
  });
});
