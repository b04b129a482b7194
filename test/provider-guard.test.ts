/** A provider behind retries and its circuit breaker, against a server that goes away and comes back. */

import { describe, expect, it } from 'vitest';
import type { DeclaringProvider } from '../src/domain/provider.ts';
import { mem0Provider } from '../src/providers/mem0-provider.ts';
import { ManualClock } from '../src/testing/manual-clock.ts';
import { untilTestEnds, type JsonServer } from './json-server.ts';
import { MEM0_KEY, startMem0Server } from './mem0-double.ts';

const place = { layer: 'user', identifiers: { userId: 'alice' } } as const;

class SleepNotingClock extends ManualClock {
  readonly slept: number[] = [];

  override sleep(ms: number): Promise<void> {
    this.slept.push(ms);
    return super.sleep(ms);
  }
}

async function setUp(): Promise<{ server: JsonServer; clock: SleepNotingClock; provider: DeclaringProvider }> {
  const server = untilTestEnds(await startMem0Server());
  const clock = new SleepNotingClock();
  const circuit = { failureThreshold: 4, pauseMs: 60_000, maxPauseMs: 600_000 };
  const provider = mem0Provider({ clock, random: () => 1, circuit });
  await provider.initialize({ baseUrl: server.url, apiKey: MEM0_KEY });
  return { server, clock, provider };
}

describe('a guarded provider', () => {
  it('tries again, with backoff, and by Retry-After in seconds and as a date', async () => {
    const { server, clock, provider } = await setUp();
    server.troubles.push({ status: 503 }, 'drop');
    expect((await provider.list(place)).totalCount).toBe(0);
    expect(clock.slept).toEqual([1000, 2000]);
    server.troubles.push({ status: 429, headers: { 'retry-after': '7' } });
    await provider.list(place);
    const date = new Date(clock.now() + 12_000).toUTCString();
    server.troubles.push({ status: 429, headers: { 'retry-after': date } });
    await provider.list(place);
    expect(clock.slept.slice(2)).toEqual([8000, 13_000]);
  });

  it('leaves a server alone that keeps failing, says so, and comes back to it', async () => {
    const { server, clock, provider } = await setUp();
    const { memory } = await provider.add({ ...place, content: 'Ada drinks tea' });
    server.troubles.push(...Array.from({ length: 20 }, () => ({ status: 503 })));
    await expect(provider.list(place)).rejects.toMatchObject({ code: 'PROVIDER_ERROR' });
    expect(await provider.healthCheck()).toMatchObject({
      status: 'unhealthy',
      components: { server: { status: 'unhealthy' } },
    });
    await expect(provider.list(place)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    const asked = server.requests.length;
    const refusal = { code: 'UNAVAILABLE', retryable: true, details: { retryAfterMs: 60_000 } };
    await expect(provider.get({ id: memory.id })).rejects.toMatchObject(refusal);
    await expect(provider.add({ ...place, content: 'x' })).rejects.toMatchObject(refusal);
    const health = await provider.healthCheck();
    expect(health).toMatchObject({ status: 'unhealthy', components: { circuit: { status: 'unhealthy' } } });
    expect(server.requests.length).toBe(asked);

    server.troubles.length = 0;
    clock.advance(60_000);
    expect(await provider.healthCheck()).toMatchObject({
      status: 'degraded',
      components: { server: { status: 'healthy' }, circuit: { status: 'degraded' } },
    });
    expect(await provider.get({ id: memory.id })).toEqual({ memory });
    expect(await provider.healthCheck()).toMatchObject({
      status: 'healthy',
      components: { circuit: { status: 'healthy' } },
    });
  });

  it('has a circuit of its own', async () => {
    const [broken, well] = [await setUp(), await setUp()];
    broken.server.troubles.push(...Array.from({ length: 20 }, () => ({ status: 503 })));
    await expect(broken.provider.list(place)).rejects.toMatchObject({ code: 'PROVIDER_ERROR' });
    await expect(broken.provider.list(place)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    expect((await well.provider.list(place)).totalCount).toBe(0);
  });

  it('does not take its own mistakes for a failure of the server', async () => {
    const { server, provider } = await setUp();
    for (let count = 0; count < 10; count += 1) {
      await expect(provider.update({ id: 'unknown', content: 'x' })).rejects.toMatchObject({
        code: 'MEMORY_NOT_FOUND',
      });
    }
    expect(await provider.healthCheck()).toMatchObject({ status: 'healthy' });
    expect(server.requests.length).toBe(1);
  });
});
