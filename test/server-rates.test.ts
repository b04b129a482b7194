/** Limits on rates: how they count, whom, and what a caller is told. */

import type { IncomingHttpHeaders } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { LaminaClient } from '../src/client/lamina-client.ts';
import { LaminaError } from '../src/domain/error.ts';
import { NIL_TENANT, type Principal } from '../src/domain/principal.ts';
import { addressKey } from '../src/server/client-address.ts';
import { RateLimit } from '../src/server/rate-limit.ts';
import type { ServerDependencies } from '../src/server/dependencies.ts';
import { startServer } from './server/running-server.ts';
import { startIdentityService, token } from './identity-service.ts';

const LIST = '/v1/memory/entries?layer=user';

/** Seconds that an answer names, some of which may have passed by now on a slow machine. */
function expectSeconds(header: string | null, most: number): void {
  expect(header).toMatch(/^\d+$/);
  expect(Number(header)).toBeGreaterThan(most / 2);
  expect(Number(header)).toBeLessThanOrEqual(most);
}

const as = (userId: string): Record<string, string> => ({ 'X-User-ID': userId });

describe('a rate', () => {
  it('allows a minute of it at once, and gives it back evenly', () => {
    let now = 1_000_000;
    const rate = new RateLimit(60, () => now);
    const taken = Array.from({ length: 60 }, () => rate.take('a'));
    expect(taken.every(({ isAllowed }) => isAllowed)).toBe(true);
    expect(taken.at(0)).toMatchObject({ limit: 60, remaining: 59, resetMs: 1000 });
    expect(taken.at(-1)).toMatchObject({ remaining: 0, resetMs: 60_000 });
    expect(rate.take('a')).toMatchObject({ isAllowed: false, remaining: 0, retryAfterMs: 1000 });
    expect(rate.take('b').isAllowed).toBe(true);
    now += 999;
    expect(rate.take('a').isAllowed).toBe(false);
    now += 1;
    expect(rate.look('a')).toMatchObject({ isAllowed: true, remaining: 1 });
    expect(rate.take('a').isAllowed).toBe(true);
    expect(rate.take('a').isAllowed).toBe(false);
    now += 3_600_000;
    expect(rate.take('a')).toMatchObject({ isAllowed: true, remaining: 59 });
  });

  it('counts to the last for any limit', () => {
    for (const limit of [1, 7, 59, 61, 997, 12_000]) {
      const rate = new RateLimit(limit, () => 12_345.678);
      for (let left = limit - 1; left >= 0; left -= 1) {
        const { isAllowed, remaining } = rate.take('a');
        if (!isAllowed || remaining !== left)
          expect({ limit, isAllowed, remaining }).toEqual({ limit, isAllowed: true, remaining: left });
      }
      expect(rate.take('a').isAllowed).toBe(false);
    }
  });

  it('takes a network of IPv6 for one address, and an IPv4 address for itself', () => {
    expect(addressKey('192.0.2.7')).toBe('192.0.2.7');
    expect(addressKey('::ffff:192.0.2.7')).toBe('192.0.2.7');
    expect(addressKey('2001:db8:1:2:3:4:5:6')).toBe('2001:db8:1:2::');
    expect(addressKey('2001:db8:1:2::9')).toBe('2001:db8:1:2::');
    expect(addressKey('2001:0DB8:1:0002::')).toBe('2001:db8:1:2::');
    expect(addressKey('2001:db8::1')).toBe('2001:db8:0:0::');
    expect(addressKey('fe80::1%eth0')).toBe('fe80:0:0:0::');
    expect(addressKey('::1')).toBe('0:0:0:0::');
  });
});

describe('rates of the service', () => {
  const limited = (limits: ServerDependencies['limits']) => startServer({ limits });

  it('limits a principal, and nobody else; says how many are left, and when to come back', async () => {
    const { call } = await limited({ principalRate: 2 });
    const first = await call('GET', LIST, undefined, as('alice'));
    expect(first.status).toBe(200);
    expect(first.headers.get('ratelimit-limit')).toBe('2');
    expect(first.headers.get('ratelimit-remaining')).toBe('1');
    expectSeconds(first.headers.get('ratelimit-reset'), 30);
    expect(first.headers.get('x-rate-limit-remaining')).toBe('1');
    expectSeconds(first.headers.get('x-rate-limit-reset'), 30);
    expect((await call('GET', LIST, undefined, as('alice'))).status).toBe(200);
    const refused = await call('GET', LIST, undefined, as('alice'));
    expect(refused.status).toBe(429);
    expectSeconds(refused.headers.get('retry-after'), 30);
    expect(refused.headers.get('ratelimit-remaining')).toBe('0');
    expect(refused.json).toMatchObject({
      code: 'RATE_LIMITED',
      retryable: true,
      operation: 'list',
      details: { limit: 2 },
    });
    expect(refused.json.message).toMatch(/Wait \d+ s; the limit is 2 a minute/);
    expect((await call('GET', LIST, undefined, as('bob'))).status).toBe(200);
    const agent = { ...as('alice'), 'X-Agent-ID': 'clerk' };
    expect((await call('GET', LIST, undefined, agent)).status).toBe(200);
    const tenant = { ...as('alice'), 'X-Tenant-ID': '7d1c2b9e-0f43-4b0e-9a53-1f2e3d4c5b6a' };
    expect((await call('GET', LIST, undefined, tenant)).status).toBe(200);
  });

  it('limits an address whatever it asks for, but for how the service is', async () => {
    const { call } = await limited({ addressRate: 3 });
    expect((await call('GET', '/nothing')).status).toBe(404);
    expect((await call('GET', '/openapi.json')).status).toBe(200);
    expect((await call('GET', LIST, undefined, as('alice'))).status).toBe(200);
    for (const path of [LIST, '/nothing', '/docs', '/openapi.json']) {
      const refused = await call('GET', path, undefined, as('bob'));
      expect([path, refused.status, refused.json.code]).toEqual([path, 429, 'RATE_LIMITED']);
    }
    const mcp = await call('POST', '/mcp', { jsonrpc: '2.0', id: 1, method: 'ping' });
    expect([mcp.status, mcp.json.error.data.code]).toEqual([429, 'RATE_LIMITED']);
    expectSeconds(mcp.headers.get('retry-after'), 20);
    for (const path of ['/live', '/ready', '/health', '/metrics']) expect((await call('GET', path)).status).toBe(200);
  });

  it('believes nobody about where they come from, unless told whom', async () => {
    const from = (address: string): Record<string, string> => ({ 'X-Forwarded-For': address });
    const unbelieving = await limited({ addressRate: 1 });
    expect((await unbelieving.call('GET', LIST, undefined, from('192.0.2.1'))).status).toBe(200);
    expect((await unbelieving.call('GET', LIST, undefined, from('192.0.2.2'))).status).toBe(429);
    const believing = await startServer({ limits: { addressRate: 1 }, trustedProxies: ['127.0.0.0/8'] });
    expect((await believing.call('GET', LIST, undefined, from('192.0.2.1'))).status).toBe(200);
    expect((await believing.call('GET', LIST, undefined, from('192.0.2.2'))).status).toBe(200);
    const warnings = ({ logLines }: { logLines: string[] }): string[] =>
      logLines.filter((line) => line.includes('LAMINA_TRUST_PROXY'));
    expect(warnings(unbelieving)).toHaveLength(1);
    expect(warnings(unbelieving)[0]).toContain('127.0.0.1 says for whom it asks');
    expect(warnings(believing)).toEqual([]);
    const elsewhere = await startServer({ limits: { failureRate: 1 }, trustedProxies: ['192.0.2.0/24'] });
    await elsewhere.call('GET', LIST);
    expect(warnings(elsewhere)).toEqual([]);
    await elsewhere.call('GET', LIST, undefined, from('192.0.2.1'));
    expect(warnings(elsewhere)).toHaveLength(1);
    const standard = await limited({ failureRate: 1 });
    await standard.call('GET', LIST, undefined, { Forwarded: 'for=192.0.2.1' });
    expect(warnings(standard)).toHaveLength(1);
    const uncounted = await startServer();
    await uncounted.call('GET', LIST, undefined, from('192.0.2.1'));
    expect(warnings(uncounted)).toEqual([]);
    // What a client wrote itself stands before what the proxy added.
    expect((await believing.call('GET', LIST, undefined, from('192.0.2.9, 192.0.2.1'))).status).toBe(429);
  });

  it('says nothing of rates where there are none', async () => {
    const { call } = await startServer();
    const { headers } = await call('GET', LIST);
    expect([...headers.keys()].filter((name) => name.includes('rate'))).toEqual([]);
  });

  it('is waited for by the client, which then succeeds', async () => {
    const { url } = await limited({ principalRate: 60 });
    const client = new LaminaClient({ url, retry: { initialDelayMs: 1, maxAttempts: 3 } });
    const memory = client.as({ userId: 'alice' });
    const started = performance.now();
    await Promise.all(Array.from({ length: 61 }, () => memory.list({ layer: 'user' })));
    expect(performance.now() - started).toBeGreaterThan(900);
    await client.close();
  });
});

describe('guessing credentials', () => {
  it('ends after a few, also for a right one, and leaves those who are known alone until then', async () => {
    const { call } = await startIdentityService({ limits: { failureRate: 3 } });
    const right = await token();
    const wrong = await token({}, { secret: 'another secret of which nobody knows' });
    for (const credential of [wrong, 'nonsense', undefined]) {
      expect((await call('GET', LIST, right)).status).toBe(200);
      expect((await call('GET', LIST, credential)).status).toBe(401);
    }
    const refused = await call('GET', LIST, wrong);
    expect([refused.status, refused.json.code]).toEqual([429, 'RATE_LIMITED']);
    expectSeconds(refused.headers.get('retry-after'), 20);
    const rightOne = await call('GET', LIST, right);
    expect(rightOne.status).toBe(429);
    expect(rightOne.json.message).toMatch(/^Too many credentials from this address were wrong/);
    expect((await call('POST', '/mcp', right, { body: {} })).status).toBe(429);
    expect((await call('GET', '/live')).status).toBe(200);
  });

  it('is limited in parallel as well, and refuses nobody who comes with many right ones', async () => {
    let asked = 0;
    const authenticate = async ({ 'x-api-key': key }: IncomingHttpHeaders): Promise<Principal> => {
      asked += 1;
      await sleep(5);
      if (key !== 'right') throw new LaminaError('UNAUTHORIZED', 'No.');
      return { tenantId: NIL_TENANT, userId: 'alice' };
    };
    const { call } = await startServer({ authenticate, limits: { failureRate: 3 } });
    const statuses = async (key: string, count: number): Promise<number[]> =>
      (await Promise.all(Array.from({ length: count }, () => call('GET', LIST, undefined, { 'X-API-Key': key })))).map(
        ({ status }) => status,
      );
    expect(new Set(await statuses('right', 30))).toEqual(new Set([200]));
    asked = 0;
    const guesses = await statuses('wrong', 30);
    expect(guesses.filter((status) => status === 401)).toHaveLength(3);
    expect(guesses.filter((status) => status === 429)).toHaveLength(27);
    expect(asked).toBe(3);
  });
});
