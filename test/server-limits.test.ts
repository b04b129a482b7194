/** How much is under way at once, for how long, and what happens when it is too much. */

import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { Pressure } from '../src/server/pressure.ts';
import type { ServerDependencies } from '../src/server/dependencies.ts';
import { StreamPlaces } from '../src/server/stream-places.ts';
import { startServer } from './server/running-server.ts';

const LIST = '/v1/memory/entries?layer=user';
const CALM = { loopDelayMs: 0, heapBytes: 0, rssBytes: 0 };

/** An operation that goes on until the test lets it end. */
function slowly(): { readonly invokeAs: ServerDependencies['invokeAs']; begun(): number; end(): void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  let begun = 0;
  const invoke = async (): Promise<object> => {
    begun += 1;
    await promise;
    return { memories: [], nextCursor: null, totalCount: 0 };
  };
  return { invokeAs: () => invoke as never, begun: () => begun, end: resolve };
}

describe('operations', () => {
  it('are answered for when they take too long', async () => {
    const { invokeAs, end } = slowly();
    const { call } = await startServer({ invokeAs, limits: { answerMs: 50 } });
    const late = await call('GET', LIST);
    expect(late.status).toBe(503);
    expect(late.json).toMatchObject({ code: 'UNAVAILABLE', operation: 'list', retryable: true });
    expect(late.headers.get('retry-after')).toBe('1');
    expect(late.json).toMatchObject({ details: { outcome: 'unknown' } });
    end();
  });

  it('wait for a place, which those that were given up keep until they end', async () => {
    const { invokeAs, begun, end } = slowly();
    const { call } = await startServer({ invokeAs, limits: { answerMs: 100, inFlight: 1, queueMs: 10 } });
    const answers = await Promise.all([call('GET', LIST), call('GET', LIST)]);
    expect(answers.map(({ status }) => status)).toEqual([503, 503]);
    const refused = await call('GET', LIST);
    expect([refused.status, begun()]).toEqual([503, 1]);
    expect(refused.json.message).toContain('more under way');
    expect((await call('GET', '/ready')).status).toBe(200);
    end();
    await expect.poll(async () => (await call('GET', LIST)).status).toBe(200);
  });
});

describe('pressure', () => {
  it('is high after three samples over a limit, and low after one below', () => {
    const pressure = new Pressure({ ...CALM, loopDelayMs: 100 });
    const [calm, late] = [
      { loopDelayMs: 99, heapBytes: 1e12, rssBytes: 1e12 },
      { loopDelayMs: 101, heapBytes: 0, rssBytes: 0 },
    ];
    pressure.see(calm);
    pressure.see(late);
    pressure.see(late);
    pressure.assertBearable();
    pressure.see(late);
    expect(() => pressure.assertBearable()).toThrow('event loop is late');
    pressure.see(calm);
    pressure.assertBearable();
  });

  it.each(['heapBytes', 'rssBytes'] as const)('sheds by %s, and stays alive', async (limit) => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const { call } = await startServer({ limits: { [limit]: 1 } });
    vi.advanceTimersByTime(2500);
    expect((await call('GET', LIST)).status).toBe(200);
    vi.advanceTimersByTime(1000);
    const refused = await call('GET', LIST);
    expect(refused.json).toMatchObject({ code: 'UNAVAILABLE', operation: 'list', retryable: true });
    expect(refused.headers.get('retry-after')).toBe('2');
    expect((await call('GET', '/live')).status).toBe(200);
    expect((await call('GET', '/health')).status).toBe(200);
    expect((await call('GET', '/metrics')).status).toBe(200);
    const ready = await call('GET', '/ready');
    expect([ready.status, ready.json]).toEqual([503, { status: 'not_ready' }]);
  });
});

describe('streams and connections', () => {
  it('gives each principal so many streams', () => {
    const places = new StreamPlaces(2);
    const alice = { tenantId: 't', userId: 'alice' };
    const giveBack = places.take(alice);
    places.take(alice);
    expect(() => places.take(alice)).toThrow('2 streams');
    places.take({ ...alice, agentId: 'clerk' });
    giveBack();
    giveBack();
    places.take(alice);
    expect(() => places.take(alice)).toThrow('2 streams');
  });

  it('takes no more connections than it may', async () => {
    const { url } = await startServer({ limits: { connections: 1 } });
    const { port } = new URL(url);
    const first = connect(Number(port), '127.0.0.1');
    await once(first, 'connect');
    const second = connect(Number(port), '127.0.0.1');
    await once(second, 'close');
    first.destroy();
  });

  it('does not wait for ever for a request, neither its headers nor its body', { timeout: 20_000 }, async () => {
    const { url } = await startServer({ limits: { receiveMs: 400 } });
    const { port } = new URL(url);
    const head = 'POST /v1/memory/entries HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n';
    for (const sent of ['GET /live HT', `${head}Content-Length: 100\r\n\r\n{"content": `]) {
      const socket = connect(Number(port), '127.0.0.1');
      let answer = '';
      socket.setEncoding('utf8').on('data', (text: string) => void (answer += text));
      socket.write(sent);
      await once(socket, 'close');
      expect(answer).toMatch(/^HTTP\/1.1 503 /);
      expect(answer).toContain('did not arrive in time');
      expect(answer).toMatch(/\r\nRetry-After: 1\r\n/);
    }
  });
});
