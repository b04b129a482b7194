/** Working memory over plain HTTP: the statuses, bodies and headers of the specification. */

import { createServer as createHttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { LaminaClient } from '../src/client/index.ts';
import { caller, type Call } from './http-caller.ts';
import { openLamina, serveLamina, untilTestEnds } from './running-lamina.ts';

async function start(): Promise<Call> {
  const { lamina } = untilTestEnds(await openLamina());
  const { url } = untilTestEnds(await serveLamina(lamina));
  return caller(`${url}/v1/memory/working`);
}

describe('working memory over HTTP', () => {
  it('is set, read and deleted at the paths of the specification', async () => {
    const call = await start();
    const put = await call('PUT', '/plan-123/research_summary', { value: { confidence: 0.9, userId: 1 } });
    expect(put.status).toBe(200);
    expect(put.json).toEqual({
      plan_id: 'plan-123',
      key: 'research_summary',
      value: { confidence: 0.9, userId: 1 },
      version: expect.any(Number) as number,
      created_at: expect.any(String) as string,
      updated_at: expect.any(String) as string,
    });
    const got = await call('GET', '/plan-123/research_summary');
    expect([got.status, got.json]).toEqual([200, put.json]);
    expect([put.etag, got.etag]).toEqual([`"${put.json.version}"`, `"${put.json.version}"`]);
    const deleted = await call('DELETE', '/plan-123/research_summary');
    expect([deleted.status, deleted.text]).toEqual([204, '']);
    for (const method of ['GET', 'DELETE']) {
      const gone = await call(method, '/plan-123/research_summary');
      expect([gone.status, gone.json.code]).toEqual([404, 'NOT_FOUND']);
      expect(gone.json.operation).toBe(method === 'GET' ? 'working.get' : 'working.delete');
    }
  });

  it('is listed and cleared by plan', async () => {
    const call = await start();
    for (const key of ['b', 'a', 'c']) await call('PUT', `/plan-123/${key}`, { value: key, ttl_seconds: 60 });
    const page = await call('GET', '/plan-123?limit=2');
    expect(page.json).toMatchObject({ plan_id: 'plan-123', count: 2, items: [{ key: 'a', value: 'a' }, { key: 'b' }] });
    expect(page.json.items[0].expires_at).toEqual(expect.any(String));
    const rest = await call('GET', `/plan-123?cursor=${page.json.next_cursor}`);
    expect(rest.json).toMatchObject({ count: 1, next_cursor: null, items: [{ key: 'c' }] });
    const cleared = await call('DELETE', '/plan-123');
    expect([cleared.status, cleared.json]).toEqual([200, { deleted_count: 3, plan_id: 'plan-123' }]);
    expect((await call('DELETE', '/plan-123')).json).toEqual({ deleted_count: 0, plan_id: 'plan-123' });
  });

  it('is changed atomically', async () => {
    const call = await start();
    expect((await call('POST', '/p/n/increment', {})).json.value).toBe(1);
    expect((await call('POST', '/p/n/increment', { by: 4 })).json.value).toBe(5);
    expect((await call('POST', '/p/l/append', { items: ['a', null] })).json.value).toEqual(['a', null]);
    expect((await call('POST', '/p/o/merge', { fields: { planId: 1 } })).json.value).toEqual({ planId: 1 });
    const misfit = await call('POST', '/p/o/increment', {});
    expect([misfit.status, misfit.json.code]).toEqual([400, 'VALIDATION_FAILED']);
    expect((await call('PUT', '/p/k', {})).status).toBe(400);
    expect((await call('PUT', '/p/k', { value: null })).json.value).toBeNull();
  });

  it('is compared and set by If-Match', async () => {
    const call = await start();
    const first = await call('PUT', '/p/k', { value: 1 }, { 'If-Match': '0' });
    expect(first.status).toBe(200);
    const stale = await call('PUT', '/p/k', { value: 2 }, { 'If-Match': '0' });
    expect([stale.status, stale.json.code]).toEqual([409, 'VERSION_CONFLICT']);
    expect((await call('DELETE', '/p/k', undefined, { 'If-Match': '"999"' })).status).toBe(409);
    expect((await call('PUT', '/p/k', { value: 2 }, { 'If-Match': first.etag ?? '' })).status).toBe(200);
    expect((await call('PUT', '/p/k', { value: 3 }, { 'If-Match': 'W/"1"' })).status).toBe(400);
    const { etag } = await call('GET', '/p/k');
    expect((await call('DELETE', '/p/k', undefined, { 'If-Match': etag ?? '' })).status).toBe(204);
  });

  it('keeps to its limit', async () => {
    const call = await start();
    const large = await call('PUT', '/p/k', { value: 'x'.repeat(1024 * 1024) });
    expect([large.status, large.json.code, large.json.details.limit]).toEqual([413, 'LIMIT_EXCEEDED', 1024 * 1024]);
  });
});

describe('a client that asks for what is not there', () => {
  async function clientOf(status: number, body: string): Promise<LaminaClient> {
    const stub = createHttpServer((_, response) => response.writeHead(status).end(body));
    await new Promise<void>((resolve) => stub.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void stub.close());
    return new LaminaClient({ url: `http://127.0.0.1:${(stub.address() as AddressInfo).port}` });
  }

  const body = (operation: string): string =>
    JSON.stringify({ code: 'NOT_FOUND', message: 'There is nothing.', operation, retryable: false, request_id: 'x' });

  it('gets null when the operation says so', async () => {
    const { working } = (await clientOf(404, body('working.get'))).as({ userId: 'u' });
    expect(await working.get({ planId: 'p', key: 'k' })).toBeNull();
  });

  it.each([
    ['a page of a proxy', '<h1>Not found</h1>'],
    ['a service that has no such path', body('http')],
    ['another operation', body('plans.get')],
  ])('gets an error when it is %s that answers', async (_, answer) => {
    const { working } = (await clientOf(404, answer)).as({ userId: 'u' });
    await expect(working.get({ planId: 'p', key: 'k' })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(working.delete({ planId: 'p', key: 'k' })).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});
