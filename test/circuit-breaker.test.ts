/** The circuit breaker: when it opens, when it tries again, and what it says meanwhile. */

import { describe, expect, it } from 'vitest';
import { CircuitBreaker, withBreaker, type CircuitPolicy } from '../src/domain/circuit-breaker.ts';
import { LaminaError } from '../src/domain/error.ts';
import { DEFAULT_RETRY_POLICY } from '../src/domain/retry.ts';
import { ManualClock } from '../src/testing/manual-clock.ts';
import { SeededRandom } from '../src/testing/seeded-random.ts';

const POLICY: CircuitPolicy = { failureThreshold: 3, pauseMs: 1000, maxPauseMs: 5000 };

function setUp(): { clock: ManualClock; breaker: CircuitBreaker } {
  const clock = new ManualClock();
  return { clock, breaker: new CircuitBreaker('The provider x', () => clock.now(), POLICY) };
}

const failing = (details?: Record<string, unknown>): Promise<never> =>
  Promise.reject(new LaminaError('PROVIDER_ERROR', 'It failed.', { ...(details && { details }) }));

/** What a call comes to: `ok`, the code of its failure, or how long it is told to wait. */
async function outcome(breaker: CircuitBreaker, work: () => Promise<unknown>): Promise<string | number> {
  try {
    await breaker.run(work);
    return 'ok';
  } catch (error) {
    if (!(error instanceof LaminaError)) return String(error);
    return error.code === 'UNAVAILABLE' ? Number(error.details?.['retryAfterMs']) : error.code;
  }
}

async function open(breaker: CircuitBreaker): Promise<void> {
  for (let count = 0; count < POLICY.failureThreshold; count += 1) await outcome(breaker, () => failing());
}

describe('a circuit', () => {
  it('opens after so many failures in a row, and not before', async () => {
    const { breaker } = setUp();
    for (const work of [failing, failing, async () => 1, failing, failing]) await outcome(breaker, work);
    expect(breaker.status).toBe('closed');
    expect(await outcome(breaker, () => failing())).toBe('PROVIDER_ERROR');
    expect([breaker.status, breaker.retryAfterMs]).toEqual(['open', 1000]);
  });

  it('answers at once while it is open, with how long to wait, and calls nobody', async () => {
    const { breaker, clock } = setUp();
    await open(breaker);
    clock.advance(400);
    let calls = 0;
    const refused = breaker.run(async () => (calls += 1));
    await expect(refused).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      retryable: true,
      message: expect.stringContaining('The provider x') as string,
      details: { retryAfterMs: 600, circuit: 'open' },
    });
    expect(calls).toBe(0);
  });

  it('lets one call through after its pause, and all after that one has succeeded', async () => {
    const { breaker, clock } = setUp();
    await open(breaker);
    clock.advance(1000);
    expect(breaker.status).toBe('half-open');
    const probe = Promise.withResolvers<void>();
    const probing = outcome(breaker, () => probe.promise);
    expect(await outcome(breaker, async () => 1)).toBe(1000);
    probe.resolve();
    expect(await probing).toBe('ok');
    expect(breaker.status).toBe('closed');
    expect(await Promise.all([1, 2, 3].map(() => outcome(breaker, async () => 1)))).toEqual(['ok', 'ok', 'ok']);
  });

  it('opens again, twice as long, to a limit, after each probe that fails', async () => {
    const { breaker, clock } = setUp();
    await open(breaker);
    const pauses: number[] = [];
    for (let count = 0; count < 5; count += 1) {
      pauses.push(breaker.retryAfterMs);
      clock.advance(breaker.retryAfterMs);
      expect(await outcome(breaker, () => failing())).toBe('PROVIDER_ERROR');
    }
    expect(pauses).toEqual([1000, 2000, 4000, 5000, 5000]);
    clock.advance(5000);
    expect(await outcome(breaker, async () => 1)).toBe('ok');
    await open(breaker);
    expect(breaker.retryAfterMs).toBe(1000);
  });

  it('stays open for as long as it is asked to', async () => {
    const { breaker } = setUp();
    for (let count = 0; count < 3; count += 1) await outcome(breaker, () => failing({ retryAfterMs: 3000 }));
    expect(breaker.retryAfterMs).toBe(3000);
  });

  it('takes a refusal for a sign of life', async () => {
    const { breaker, clock } = setUp();
    const refusing = (): Promise<never> => Promise.reject(new LaminaError('UNAUTHORIZED', 'The key is wrong.'));
    for (const work of [failing, failing, refusing, failing, failing]) await outcome(breaker, work);
    expect(breaker.status).toBe('closed');
    await open(breaker);
    clock.advance(1000);
    expect(await outcome(breaker, refusing)).toBe('UNAUTHORIZED');
    expect(breaker.status).toBe('closed');
  });

  it('is not changed by what began before it opened', async () => {
    const { breaker, clock } = setUp();
    const [late, later] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const waiting = [outcome(breaker, () => late.promise), outcome(breaker, () => later.promise)];
    await open(breaker);
    late.resolve();
    await waiting[0];
    expect(breaker.status).toBe('open');
    later.reject(new LaminaError('PROVIDER_ERROR', 'It failed.'));
    await waiting[1];
    expect(breaker.retryAfterMs).toBe(1000);
    clock.advance(1000);
    expect(await outcome(breaker, async () => 1)).toBe('ok');
  });

  it('is not opened again by such a one while a probe is under way', async () => {
    const { breaker, clock } = setUp();
    const [late, probe] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const waiting = outcome(breaker, () => late.promise);
    await open(breaker);
    clock.advance(1000);
    const probing = outcome(breaker, () => probe.promise);
    late.reject(new LaminaError('PROVIDER_ERROR', 'It failed.'));
    await waiting;
    probe.resolve();
    await probing;
    expect(breaker.status).toBe('closed');
  });

  it('never lets more through than one at a time while it is not closed, whatever happens', async () => {
    const random = new SeededRandom(11);
    const { breaker, clock } = setUp();
    for (let step = 0; step < 500; step += 1) {
      const wasClosed = breaker.status === 'closed';
      let under = 0;
      let most = 0;
      const calls = Array.from({ length: 1 + random.below(4) }, () =>
        outcome(breaker, async () => {
          most = Math.max(most, (under += 1));
          await Promise.resolve();
          under -= 1;
          if (random.next() < 0.6) await failing();
        }),
      );
      await Promise.all(calls);
      if (!wasClosed) expect(most).toBeLessThanOrEqual(1);
      clock.advance(random.below(1500));
    }
  });
});

describe('retries through a circuit', () => {
  it('end as soon as it is open', async () => {
    const { breaker } = setUp();
    const slept: number[] = [];
    let calls = 0;
    const patience = {
      retry: { ...DEFAULT_RETRY_POLICY, maxAttempts: 10 },
      sleep: async (ms: number) => void slept.push(ms),
    };
    const call = withBreaker(breaker, patience, () => {
      calls += 1;
      return failing();
    });
    await expect(call).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      message: expect.stringContaining('It failed.') as string,
      cause: { code: 'PROVIDER_ERROR' },
    });
    expect([calls, slept]).toEqual([3, [1000, 2000]]);
  });
});
