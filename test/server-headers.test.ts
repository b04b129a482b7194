/** Headers by which browsers keep others away from what the service answers: on every answer there is. */

import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { makeFolder, removeFolder } from './sqlite-folder.ts';
import { startServer } from './server/running-server.ts';

const ALWAYS = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'x-frame-options': 'DENY',
  'cross-origin-resource-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': expect.stringContaining('camera=()'),
  'content-security-policy': expect.stringMatching(/^default-src 'none';.*frame-ancestors 'none'/),
};

function expectGuarded(headers: Headers, caching: unknown = 'no-store'): void {
  const all = Object.fromEntries(headers);
  expect(all).toMatchObject({ ...ALWAYS, 'cache-control': caching });
  expect(Object.keys(all).filter((name) => /^access-control-|^server$|^x-powered-by$/.test(name))).toEqual([]);
  // That is for TLS only.
  expect(all['strict-transport-security']).toBeUndefined();
}

async function withPages(): Promise<Awaited<ReturnType<typeof startServer>>> {
  const inspectorFolder = await makeFolder();
  onTestFinished(() => removeFolder(inspectorFolder));
  mkdirSync(join(inspectorFolder, 'assets'));
  writeFileSync(join(inspectorFolder, 'index.html'), '<!doctype html>');
  writeFileSync(join(inspectorFolder, 'assets', 'a.js'), '');
  return startServer({ inspectorFolder });
}

describe('security headers', () => {
  it('are on every kind of answer', async () => {
    const { call } = await withPages();
    const expected: [string, string, number, unknown?][] = [
      ['GET', '/v1/memory/entries?layer=user', 200],
      ['GET', '/v1/memory/entries?layer=nothing', 400],
      ['GET', '/v1/memory/entries/7d1c2b9e-0f43-4b0e-9a53-1f2e3d4c5b6a', 404],
      ['POST', '/v1/memory/entries', 400],
      ['GET', '/nothing', 404],
      ['GET', '/%', 400],
      ['DELETE', '/v1/memory/entries', 405],
      ['POST', '/mcp', 415],
      ['GET', '/mcp', 405],
      ['GET', '/live', 200],
      ['GET', '/ready', 200],
      ['GET', '/health', 200],
      ['GET', '/metrics', 200],
      ['GET', '/openapi.json', 200],
      ['GET', '/docs', 200],
      ['GET', '/', 200, 'no-cache'],
      ['GET', '/inspect/anything', 200, 'no-cache'],
      ['GET', '/assets/a.js', 200, 'public, max-age=31536000, immutable'],
      ['GET', '/assets/b.js', 404],
    ];
    for (const [method, path, status, caching] of expected) {
      const answer = await call(method, path);
      expect([method, path, answer.status]).toEqual([method, path, status]);
      expectGuarded(answer.headers, caching);
      expect(answer.headers.get('x-request-id')).toBeTruthy();
    }
  });

  it('are on a stream of events', async () => {
    const { url } = await startServer({ followAs: () => endless as never });
    const stop = new AbortController();
    const response = await fetch(`${url}/v1/memory/events`, { signal: stop.signal });
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8']);
    expectGuarded(response.headers);
    stop.abort();
  });

  it('are on the answer to what is no HTTP', async () => {
    const { url } = await startServer();
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    let answer = '';
    socket.setEncoding('utf8').on('data', (text: string) => void (answer += text));
    socket.write('HELLO\r\n\r\n');
    await once(socket, 'close');
    const [head = ''] = answer.split('\r\n\r\n');
    const [status, ...lines] = head.split('\r\n');
    expect(status).toBe('HTTP/1.1 400 Bad Request');
    const headers = lines.map((line): [string, string] => [
      line.split(': ')[0] ?? '',
      line.split(': ').slice(1).join(': '),
    ]);
    expectGuarded(new Headers(headers));
  });
});

describe('CORS', () => {
  it('is off: a page of another origin is told nothing, and may ask for nothing', async () => {
    const { call } = await withPages();
    const origin = { Origin: 'https://page.example' };
    const preflight = {
      ...origin,
      'Access-Control-Request-Method': 'POST',
      'Access-Control-Request-Headers': 'x-user-id',
    };
    for (const path of ['/v1/memory/entries', '/v1/memory/entries/search', '/mcp', '/', '/health', '/nothing']) {
      const asked = await call('OPTIONS', path, undefined, preflight);
      expect([path, asked.status]).toEqual([path, path === '/nothing' ? 404 : 405]);
      expectGuarded(asked.headers);
      expectGuarded((await call('GET', path, undefined, origin)).headers, expect.any(String));
    }
    expect((await call('POST', '/mcp', {}, origin)).status).toBe(403);
  });
});

async function* endless(): AsyncGenerator<{ items: object[]; position: string }, void> {
  yield { items: [], position: 'p' };
  await new Promise(() => {});
}
