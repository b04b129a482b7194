/** Health, metrics, documentation, log and shutdown. */

import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { Agent, get, type IncomingMessage } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { OPERATIONS } from '../src/operations/table.ts';
import { LAST_REQUESTS_MS } from '../src/server/drain.ts';
import { HEALTHY, startServer } from './server/running-server.ts';

const ENTRIES = '/v1/memory/entries';

describe('health', () => {
  it('is told in snake_case', async () => {
    const { call } = await startServer();
    const { status, json } = await call('GET', '/health');
    expect([status, json]).toEqual([
      200,
      { status: 'healthy', latency_ms: 1, components: { storage: { status: 'healthy' } } },
    ]);
    expect((await call('GET', '/ready')).json).toEqual({ status: 'ready' });
    expect((await call('GET', '/live')).json).toEqual({ status: 'live' });
  });

  it('degraded still serves, unhealthy does not', async () => {
    const degraded = await startServer({ health: async () => ({ ...HEALTHY, status: 'degraded' }) });
    expect((await degraded.call('GET', '/health')).status).toBe(200);
    expect((await degraded.call('GET', '/ready')).status).toBe(200);
    const unhealthy = await startServer({ health: async () => ({ ...HEALTHY, status: 'unhealthy' }) });
    expect((await unhealthy.call('GET', '/health')).status).toBe(503);
    expect((await unhealthy.call('GET', '/ready')).json).toEqual({ status: 'not_ready' });
    expect((await unhealthy.call('GET', '/live')).status).toBe(200);
  });

  it('that cannot be told is UNAVAILABLE', async () => {
    const { call } = await startServer({ health: () => Promise.reject(new Error('secret')) });
    const { status, json, text } = await call('GET', '/ready');
    expect([status, json.code, json.operation]).toEqual([503, 'UNAVAILABLE', 'health']);
    expect(text).not.toContain('secret');
  });
});

describe('metrics', () => {
  it('count operations, errors, latency, results and storage', async () => {
    const { call } = await startServer();
    await call('POST', ENTRIES, { content: 'tea', layer: 'user' });
    await call('POST', `${ENTRIES}/search`, { query: 'tea' });
    await call('POST', ENTRIES, { content: 'tea', layer: 'nowhere' });
    const { headers, text } = await call('GET', '/metrics');
    expect(headers.get('content-type')).toContain('text/plain; version=0.0.4');
    for (const name of [
      'operations.total',
      'operations.errors',
      'operations.latency',
      'search.results',
      'storage.size',
    ]) {
      expect(text).toContain(`memory.${name}`);
      expect(text).toContain(`memory_${name.replaceAll('.', '_')}`);
    }
    expect(text).toContain('memory_operations_total{operation="add"} 2');
    expect(text).toContain('memory_operations_errors_total{operation="add",code="INVALID_LAYER"} 1');
    expect(text).toContain('memory_operations_latency_count{operation="search"} 1');
    expect(text).toContain('memory_search_results_sum 1');
    expect(text).toContain('memory_storage_size{layer="user"} 1');
  });

  it('of two servers are apart', async () => {
    const [one, other] = [await startServer(), await startServer()];
    await one.call('GET', `${ENTRIES}?layer=user`);
    expect((await one.call('GET', '/metrics')).text).toContain('operation="list"');
    expect((await other.call('GET', '/metrics')).text).not.toContain('operation="list"');
  });
});

describe('the documentation', () => {
  it('is one page without scripts, held to that by its policy', async () => {
    const { call } = await startServer();
    const { status, headers, text } = await call('GET', '/docs');
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(text).not.toMatch(/<script|<link|<img|\son\w+=|https?:\/\/(?!127\.0\.0\.1)/i);
    expect(text).not.toMatch(/\sstyle=/);
    const style = /<style>([\s\S]*)<\/style>/.exec(text)?.[1] ?? '';
    const hash = createHash('sha256').update(style).digest('base64');
    expect(headers.get('content-security-policy')).toContain(`default-src 'none'; style-src 'sha256-${hash}'`);
    expect(style).toContain('color-scheme: light dark');
  });

  const escaped = (text: string): string => text.replaceAll("'", '&#39;').replaceAll('"', '&quot;');

  it('shows every operation, and every link leads somewhere', async () => {
    const { call } = await startServer();
    const { text } = await call('GET', '/docs');
    for (const [name, { summary, http }] of Object.entries(OPERATIONS)) {
      const id = name.replace(/\.(\w)/g, (_, letter: string) => letter.toUpperCase());
      expect(text.includes(`<section id="${id}">`), name).toBe(true);
      expect(text.includes(escaped(summary)), summary).toBe(true);
      const path = http.path.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
      expect(text.includes(path), path).toBe(true);
    }
    expect(text).toContain('curl');
    expect(text).toContain('MEMORY_NOT_FOUND');
    expect(text).toContain('<code>decay_factor</code>');
    expect(text).toContain('<strong>everyone in the tenant can read and change it</strong>');
    const targets = [...text.matchAll(/href="#([\w-]+)"/g)].map(([, id]) => id);
    expect(targets.length).toBeGreaterThan(20);
    for (const id of targets) expect(text).toContain(`id="${id}"`);
    const ids = [...text.matchAll(/\sid="([\w-]+)"/g)].map(([, id]) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('is where the root leads', async () => {
    const { call } = await startServer();
    const { status, headers } = await call('GET', '/');
    expect([status, headers.get('location')]).toEqual([302, '/docs']);
  });
});

describe('the log', () => {
  it('has one line per request, without ids, queries or bodies', async () => {
    const { call, logLines } = await startServer();
    await call('GET', `${ENTRIES}?layer=user&user_id=private-person`);
    await call('GET', '/nothing/private-path');
    const lines = logLines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'request');
    expect(lines.map(({ method, route, status }) => [method, route, status])).toEqual([
      ['GET', ENTRIES, 200],
      ['GET', 'unknown', 404],
    ]);
    expect(logLines.join('')).not.toContain('private');
  });
});

describe('listening', () => {
  it('on a taken port is a CONFIGURATION_ERROR that names it', async () => {
    const { url } = await startServer();
    const port = Number(new URL(url).port);
    await expect(startServer({}, port)).rejects.toMatchObject({
      code: 'CONFIGURATION_ERROR',
      message: expect.stringContaining(`127.0.0.1:${port} is in use already`) as string,
    });
  });
});

describe('closing', () => {
  it('lets a request under way finish, then answers no more', async () => {
    let finish = (): void => undefined;
    let started = (): void => undefined;
    const isStarted = new Promise<void>((resolve) => (started = resolve));
    const server = await startServer({
      invokeAs: () => async () => {
        started();
        await new Promise<void>((resolve) => (finish = resolve));
        return { memories: [], nextCursor: null, totalCount: 0 } as never;
      },
    });
    const slow = server.call('GET', `${ENTRIES}?layer=user`);
    await isStarted;
    const closed = server.close();
    const isAnswered = (): Promise<boolean> =>
      fetch(`${server.url}/live`).then(
        ({ ok }) => ok,
        () => false,
      );
    await expect.poll(isAnswered).toBe(false);
    finish();
    const { status, headers } = await slow;
    expect([status, headers.get('connection')]).toEqual([200, 'close']);
    await closed;
  });

  it('answers what was sent before anybody could know of it, as the last', async () => {
    const { url, close } = await startServer({ lastRequestsMs: LAST_REQUESTS_MS });
    const agent = new Agent({ keepAlive: true });
    onTestFinished(() => agent.destroy());
    expect(await lookAt(url, '/live', agent)).toEqual([200, 'keep-alive']);
    const closed = close();
    // Meanwhile the port is closed.
    await setImmediate();
    await setImmediate();
    expect(await lookAt(url, '/ready', agent)).toEqual([503, 'close']);
    await expect(lookAt(url, '/live', agent)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    await closed;
  });

  it('closes a connection on which nothing is asked any more', async () => {
    const { url, close } = await startServer({ lastRequestsMs: 50 });
    const agent = new Agent({ keepAlive: true });
    onTestFinished(() => agent.destroy());
    await lookAt(url, '/live', agent);
    await close();
  });
});

/** Status, and what becomes of the connection. */
async function lookAt(url: string, path: string, agent: Agent): Promise<[number | undefined, string | undefined]> {
  const request = get(`${url}${path}`, { agent });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  response.resume();
  await once(response, 'end');
  return [response.statusCode, response.headers.connection];
}
