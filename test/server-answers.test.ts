/** Answers of operations, which are written by hand: as HTTP wants them. */

import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { startServer } from './server/running-server.ts';

const ENTRIES = '/v1/memory/entries';
const ENTRY = { content: 'Alice likes her tea with “oat milk” ☕.', layer: 'user' };

/** All that the service says on one connection to these requests, sent at once, until it has said this. */
async function talk(url: string, requests: readonly string[], until: string): Promise<string> {
  const { port } = new URL(url);
  const socket = connect(Number(port), '127.0.0.1');
  socket.setEncoding('utf8');
  await once(socket, 'connect');
  let heard = '';
  const isOver = new Promise<void>((resolve) => {
    socket.on('close', () => resolve());
    socket.on('data', (text: string) => {
      heard += text;
      if (heard.includes(until)) resolve();
    });
  });
  socket.write(requests.map((line) => `${line}\r\nHost: localhost\r\n\r\n`).join(''));
  await isOver;
  socket.destroy();
  return heard;
}

describe('an answer', () => {
  it('says how long it is, in bytes', async () => {
    const { url, call } = await startServer();
    await call('POST', ENTRIES, ENTRY);
    const response = await fetch(`${url}${ENTRIES}?layer=user`);
    const bytes = Buffer.from(await response.arrayBuffer());
    expect(bytes.toString()).toContain('☕');
    expect(response.headers.get('content-length')).toBe(String(bytes.length));
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(response.headers.get('connection')).toBe('keep-alive');
  });

  it('to HEAD has the headers of GET and no body', async () => {
    const { url, call } = await startServer();
    const { json } = await call('POST', ENTRIES, ENTRY);
    const path = `${ENTRIES}/${json.memory.id}`;
    const [get, head] = await Promise.all(['GET', 'HEAD'].map((method) => fetch(`${url}${path}`, { method })));
    const headersOf = (response: Response | undefined): object => {
      const all = Object.fromEntries(response?.headers ?? []);
      // Others than these are another one each time, or are about the connection, which the client of this test closes after HEAD.
      for (const name of ['date', 'x-request-id', 'connection', 'keep-alive']) delete all[name];
      return all;
    };
    expect(headersOf(head)).toEqual(headersOf(get));
    expect(headersOf(head)).toMatchObject({ etag: '"1"' });
    // With a body the second answer would begin elsewhere.
    const heard = await talk(url, [`HEAD ${path} HTTP/1.1`, 'GET /live HTTP/1.1'], '"live"');
    expect(heard.match(/^HTTP\/1\.1 200 OK\r\n/gm)).toHaveLength(2);
    expect(heard.split('\r\n\r\n')[1]).toMatch(/^HTTP\/1\.1 200 OK/);
  });

  it('that is empty has neither a type nor a length', async () => {
    const { url } = await startServer({ invokeAs: () => (async () => ({ success: true })) as never });
    const response = await fetch(`${url}/v1/memory/working/plan/key`, { method: 'DELETE' });
    expect([response.status, await response.text()]).toEqual([204, '']);
    expect(response.headers.get('content-type')).toBeNull();
    expect(response.headers.get('content-length')).toBeNull();
  });

  it('is the last on its connection while the service is being stopped', async () => {
    const asked = Promise.withResolvers<void>();
    const work = Promise.withResolvers<object>();
    const invoke = (): Promise<object> => {
      asked.resolve();
      return work.promise;
    };
    const { url, close } = await startServer({ invokeAs: () => invoke as never });
    const answer = talk(url, [`GET ${ENTRIES}?layer=user HTTP/1.1`], 'totalCount');
    await asked.promise;
    const closed = close();
    // Stopping begins a few turns later.
    await new Promise((resolve) => setTimeout(resolve, 50));
    work.resolve({ memories: [], nextCursor: null, totalCount: 0 });
    expect((await answer).toLowerCase()).toContain('\r\nconnection: close\r\n');
    await closed;
  });

  it('goes nowhere when whoever asked has left, and harms nobody else', async () => {
    const asked = Promise.withResolvers<void>();
    const work = Promise.withResolvers<object>();
    const invoke = (): Promise<object> => {
      asked.resolve();
      return work.promise;
    };
    const { url, call, logLines } = await startServer({ invokeAs: () => invoke as never });
    const stop = new AbortController();
    const request = fetch(`${url}${ENTRIES}?layer=user`, { signal: stop.signal });
    await asked.promise;
    stop.abort();
    await expect(request).rejects.toThrow();
    work.resolve({ memories: [], nextCursor: null, totalCount: 0 });
    expect((await call('GET', `${ENTRIES}?layer=user`)).status).toBe(200);
    expect(logLines.filter((line) => line.includes('"level":50'))).toEqual([]);
  });
});
