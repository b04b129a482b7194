/** Everything that can go wrong has one shape, the right status, and gives nothing away. */

import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { LaminaClient } from '../src/client/index.ts';
import { ERROR_TABLE, invalidField, LaminaError, type ErrorCode } from '../src/domain/error.ts';
import type { Invoke } from '../src/operations/table.ts';
import type { Answer } from './http-caller.ts';
import { startServer } from './server/running-server.ts';

const ENTRIES = '/v1/memory/entries';
const ID = '01990b2e-6f3a-7cc1-9d54-3b7a1f0c2e88';

function expectError(answer: Answer, code: ErrorCode): void {
  expect(answer.json, answer.text).toMatchObject({ code, retryable: ERROR_TABLE[code].retryable });
  expect(
    Object.keys(answer.json)
      .filter((key) => key !== 'details')
      .toSorted(),
  ).toEqual(['code', 'message', 'operation', 'request_id', 'retryable'].toSorted());
  expect(answer.status).toBe(ERROR_TABLE[code].status);
  expect(answer.json.operation).not.toBe('');
  expect(answer.headers.get('x-request-id')).toBe(answer.json.request_id);
  expect(answer.headers.get('content-type')).toContain('application/json');
  expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
  expect(answer.headers.get('cache-control')).toBe('no-store');
  expect(answer.text).not.toMatch(/node_modules|\.ts:|\bat \w+ \(/);
}

describe('bad bodies', () => {
  it.each([
    ['malformed JSON', '{"content": '],
    ['an empty body', ''],
    ['an array', '[]'],
    ['null', 'null'],
    ['a string', '"x"'],
    ['__proto__', '{"content":"x","layer":"user","__proto__":{"polluted":true}}'],
    ['__proto__ in metadata', '{"content":"x","layer":"user","metadata":{"a":{"__proto__":{"polluted":true}}}}'],
    ['an unknown field', '{"content":"x","layer":"user","colour":"red"}'],
    ['a wrong type', '{"content":5,"layer":"user"}'],
    ['NUL', '{"content":"a\\u0000b","layer":"user"}'],
    ['a lone surrogate', '{"content":"\\ud800","layer":"user"}'],
    ['deep JSON', `{"content":"x","layer":"user","metadata":${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}}`],
    ['deep arrays in a field', `{"content":"x","layer":"user","tags":${'['.repeat(50_000)}${']'.repeat(50_000)}}`],
    ['bytes that are not UTF-8', new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
  ])('%s is VALIDATION_FAILED', async (_, body) => {
    const { call, core } = await startServer();
    const answer = await call('POST', ENTRIES, body, { 'Content-Type': 'application/json' });
    expectError(answer, 'VALIDATION_FAILED');
    expect(answer.json.details.problems[0]).toEqual({ path: expect.any(String), message: expect.any(String) });
    expect(core.calls).toEqual([]);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  it.each(['text/plain', 'application/x-www-form-urlencoded', 'nonsense'])('of type %s is refused', async (type) => {
    const { call, core } = await startServer();
    const answer = await call('POST', ENTRIES, '{"content":"x","layer":"user"}', { 'Content-Type': type });
    expectError(answer, 'VALIDATION_FAILED');
    expect(answer.json.message).toContain('application/json');
    expect(core.calls).toEqual([]);
  });

  it('missing where there must be one', async () => {
    const { call } = await startServer();
    expectError(await call('POST', ENTRIES), 'VALIDATION_FAILED');
  });

  it('present where none is read', async () => {
    const { call, core } = await startServer();
    const added = await call('POST', ENTRIES, { content: 'x', layer: 'user' });
    const path = `${ENTRIES}/${added.json.memory.id}`;
    expectError(await call('DELETE', path, { reason: 'x' }), 'VALIDATION_FAILED');
    expect(core.stored.size).toBe(1);
    expect((await call('DELETE', path, undefined, { 'Content-Type': 'application/json' })).status).toBe(200);
  });

  it('with an id other than the path', async () => {
    const { call } = await startServer();
    const answer = await call('PATCH', `${ENTRIES}/${ID}`, { id: ID.replace('0', '1'), content: 'x' });
    expectError(answer, 'VALIDATION_FAILED');
    expect(answer.json.details.problems[0].path).toBe('id');
  });

  it.each(['gzip', 'br', 'deflate', 'zstd', 'gzip, gzip', 'nonsense'])('packed as %s are refused', async (encoding) => {
    const { call, core } = await startServer();
    const body = '{"content":"x","layer":"user"}';
    expectError(await call('POST', ENTRIES, body, { 'Content-Encoding': encoding }), 'VALIDATION_FAILED');
    expect(core.calls).toEqual([]);
    expect((await call('POST', ENTRIES, body, { 'Content-Encoding': 'identity' })).status).toBe(201);
  });

  it('with a hundred thousand items that do not fit tell of the first, at once', async () => {
    const { call } = await startServer();
    for (const item of ['0', '{}', '{"content":1,"layer":"user","tags":[0,0,0]}']) {
      const started = performance.now();
      const memories = `[${Array.from({ length: 100_000 }, () => item).join()}]`;
      const answer = await call('POST', `${ENTRIES}/batch`, `{"memories":${memories}}`);
      expectError(answer, 'VALIDATION_FAILED');
      expect(answer.json.message).toContain('memories.0');
      expect(answer.text.length).toBeLessThan(5000);
      // Told of each, it took minutes.
      expect(performance.now() - started).toBeLessThan(10_000);
    }
    const late = [...Array.from({ length: 200 }, () => ({ content: 'x', layer: 'user' })), { content: 'x', layer: 1 }];
    const answer = await call('POST', `${ENTRIES}/batch`, { memories: late });
    expect(answer.json).toMatchObject({ code: 'INVALID_LAYER' });
    expect(answer.json.message).toContain('memories.200.layer');
  });

  it('with more items than any batch has are LIMIT_EXCEEDED', async () => {
    const { call } = await startServer();
    const answer = await call('POST', `${ENTRIES}/batch`, `{"memories":[${'{},'.repeat(100_000)}{}]}`);
    expectError(answer, 'LIMIT_EXCEEDED');
    expect(answer.json.details).toEqual({ limit: 100_000, actual: 100_001 });
  });

  it('with very many fields or problems tell of some', async () => {
    const { call } = await startServer();
    const fields = (count: number): string => Array.from({ length: count }, (_, at) => `"f${at}":0`).join();
    const answer = await call('POST', ENTRIES, `{${fields(60)}}`);
    expectError(answer, 'VALIDATION_FAILED');
    expect(answer.json.message).toContain('"f49" and 10 more');
    const wide = await call('POST', ENTRIES, `{${fields(300_000)}}`);
    expectError(wide, 'VALIDATION_FAILED');
    expect(wide.json.message).toContain('300000');
    const memories = Array.from({ length: 100 }, () => 0);
    const many = await call('POST', `${ENTRIES}/batch`, { memories });
    expect(many.json.details.problems).toHaveLength(50);
    expect(many.json.message).toMatch(/ and 50 more\.$/);
  });

  it('too large are LIMIT_EXCEEDED with the limit', async () => {
    const { call } = await startServer({ bodyLimit: 1000 });
    const answer = await call('POST', ENTRIES, { content: 'x'.repeat(5000), layer: 'user' });
    expectError(answer, 'LIMIT_EXCEEDED');
    expect(answer.json.details).toEqual({ limit: 1000 });
    const large = await call('POST', ENTRIES, { content: 'x'.repeat(3_000_000), layer: 'user' });
    expectError(large, 'LIMIT_EXCEEDED');
  });

  it('too large are found out while they arrive, too', async () => {
    const { url } = await startServer({ bodyLimit: 1000 });
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const request = httpRequest(`${url}${ENTRIES}`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
      });
      request.on('response', (response) => resolve(response.statusCode)).on('error', reject);
      request.write('{"content":"');
      request.write('x'.repeat(2000));
    });
    expect(status).toBe(413);
  });
});

describe('heads that can be read in two ways', () => {
  const head = (...lines: string[]): string =>
    `GET ${ENTRIES}?layer=user HTTP/1.1\r\n${lines.map((each) => `${each}\r\n`).join('')}\r\n`;

  it.each([
    ['no host', head('Connection: close')],
    ['two hosts', head('Host: localhost', 'Host: 127.0.0.1', 'Connection: close')],
    [
      'two credentials',
      head('Host: localhost', 'Authorization: Bearer a', 'authorization: Bearer b', 'Connection: close'),
    ],
    ['two users', head('Host: localhost', 'X-User-ID: a', 'X-User-ID: b', 'Connection: close')],
    ['an unknown expectation', head('Host: localhost', 'Expect: 200-maybe', 'Connection: close')],
  ])('%s', async (_, text) => {
    const { url, core } = await startServer();
    const { status, json } = await rawRequest(url, text);
    expect([status, json.code]).toEqual([400, 'VALIDATION_FAILED']);
    expect(json.request_id).toBeTypeOf('string');
    expect(core.calls).toEqual([]);
  });

  it('a body that breaks off is no failure of the service', async () => {
    const { url, core, logLines } = await startServer();
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    const lines = ['Host: localhost', 'Content-Type: application/json', 'Content-Length: 100'];
    socket.write(`POST ${ENTRIES} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n{"content":`);
    await sleep(200);
    socket.destroy();
    await sleep(200);
    expect(logLines.filter((line) => (JSON.parse(line) as { level: number }).level >= 50)).toEqual([]);
    expect(core.calls).toEqual([]);
  });
});

describe('bad addresses', () => {
  it.each(['/nothing', `/v1/memory/entries/${ID}/nothing`, '/V1/memory/entries'])('%s is NOT_FOUND', async (path) => {
    const { call } = await startServer();
    expectError(await call('GET', path), 'NOT_FOUND');
  });

  it('a wrong method names the right ones', async () => {
    const { call } = await startServer();
    const answer = await call('PUT', `${ENTRIES}/${ID}`, {});
    expectError(answer, 'METHOD_NOT_ALLOWED');
    expect(answer.status).toBe(405);
    expect(answer.json.message).toContain('DELETE, GET, HEAD, PATCH');
    expect(answer.json.details.allowed).toEqual(['DELETE', 'GET', 'HEAD', 'PATCH']);
    expect(answer.headers.get('allow')).toBe('DELETE, GET, HEAD, PATCH');
    expectError(await call('OPTIONS', ENTRIES), 'METHOD_NOT_ALLOWED');
  });

  it.each(['', 'no-uuid', 'x'.repeat(5000), '%00', '%2e%2e%2fetc', "'; DROP TABLE entries"])(
    'an id like %.20s is refused',
    async (id) => {
      const { call } = await startServer();
      const answer = await call('GET', `${ENTRIES}/${id}`);
      expectError(answer, 'VALIDATION_FAILED');
      expect(JSON.stringify(answer.json.details)).toContain('"id"');
    },
  );

  it.each([`${ENTRIES}/%zz`, `${ENTRIES}/%ff`, '/%'])('%s is not valid percent-encoding', async (path) => {
    const { url } = await startServer();
    // fetch would repair some of these, so a socket it is.
    const { status, json } = await rawRequest(
      url,
      `GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`,
    );
    expect([status, json.code]).toEqual([400, 'VALIDATION_FAILED']);
    expect(json.request_id).toBeTypeOf('string');
  });

  it('a URL past every limit is LIMIT_EXCEEDED', async () => {
    const { url } = await startServer();
    const { status, json } = await rawRequest(url, `GET /${'x'.repeat(40_000)} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
    expect([status, json.code]).toEqual([413, 'LIMIT_EXCEEDED']);
  });

  it('what is not HTTP is VALIDATION_FAILED', async () => {
    const { url } = await startServer();
    const { status, json } = await rawRequest(url, 'hello there\r\n\r\n');
    expect([status, json.code]).toEqual([400, 'VALIDATION_FAILED']);
  });

  it('a host name that only pretends to be this machine is FORBIDDEN', async () => {
    const { url, core } = await startServer();
    const head = `GET ${ENTRIES}?layer=user HTTP/1.1\r\nHost: evil.example:8787\r\nConnection: close\r\n\r\n`;
    const { status, json } = await rawRequest(url, head);
    expect([status, json.code]).toEqual([403, 'FORBIDDEN']);
    expect(core.calls).toEqual([]);
  });
});

interface ErrorAnswer {
  readonly code: ErrorCode;
  readonly request_id: string;
}

/** Sends the text as it is, and reads the JSON that comes back. */
async function rawRequest(url: string, text: string): Promise<{ status: number; json: ErrorAnswer }> {
  const answer = await new Promise<string>((resolve, reject) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1', () => socket.write(text));
    let received = '';
    socket.on('data', (chunk) => (received += chunk.toString()));
    socket.on('end', () => resolve(received)).on('error', (error) => (received ? resolve(received) : reject(error)));
  });
  const [head = '', body = ''] = answer.split('\r\n\r\n');
  return { status: Number(head.split(' ')[1]), json: JSON.parse(body) as ErrorAnswer };
}

describe('failures inside', () => {
  const failing = (thrown: unknown): { invokeAs: () => Invoke } => ({
    invokeAs: () => async () => {
      throw thrown;
    },
  });

  it.each([
    ['an Error', new Error('SELECT secret FROM /var/lib/lamina at line 5')],
    ['a TypeError with a status', Object.assign(new TypeError('secret'), { statusCode: 418, code: 'ESECRET' })],
    ['a string', 'secret'],
    ['undefined', undefined],
    ['null', null],
  ])('%s is PROVIDER_ERROR, and says nothing of its cause', async (_, thrown) => {
    const { call } = await startServer(failing(thrown));
    const answer = await call('POST', `${ENTRIES}/search`, { query: 'x' });
    expectError(answer, 'PROVIDER_ERROR');
    expect(answer.text).not.toContain('secret');
    expect(answer.json.operation).toBe('search');
  });

  it('are logged with their cause and the id of the request', async () => {
    const { call, logLines } = await startServer(failing(new Error('the disk is on fire')));
    await call('POST', `${ENTRIES}/search`, { query: 'x' }, { 'X-Request-ID': 'find-me' });
    const line = logLines.map((text) => JSON.parse(text)).find(({ level }) => level === 50);
    expect(line).toMatchObject({ code: 'PROVIDER_ERROR', operation: 'search', request_id: 'find-me' });
    expect(line.err.message).toBe('the disk is on fire');
  });

  it.each(Object.keys(ERROR_TABLE) as ErrorCode[])('%s has the status of the table', async (code) => {
    const details = { anyKey: [1, { inner_key: 2 }] };
    const { call } = await startServer(failing(new LaminaError(code, 'Told so.', { details })));
    const answer = await call('GET', `${ENTRIES}?layer=user`);
    expectError(answer, code);
    // The names of details are in the spelling of HTTP; what is in them is as it was.
    expect(answer.json).toMatchObject({ message: 'Told so.', operation: 'list', details: { any_key: details.anyKey } });
    const waits = code === 'RATE_LIMITED' || code === 'UNAVAILABLE';
    expect(answer.headers.get('retry-after')).toBe(waits ? '1' : null);
  });

  it('say how long to wait', async () => {
    const { call } = await startServer(
      failing(new LaminaError('RATE_LIMITED', 'Slow down.', { details: { retryAfterMs: 2500 } })),
    );
    expect((await call('GET', `${ENTRIES}?layer=user`)).headers.get('retry-after')).toBe('3');
  });

  it('in the output itself are answered, too', async () => {
    const { call } = await startServer({ invokeAs: () => async () => ({ totalCount: 1n }) as never });
    expectError(await call('GET', `${ENTRIES}?layer=user`), 'PROVIDER_ERROR');
  });
});

describe('errors name fields as the wire does', () => {
  it('in problems and in the message', async () => {
    const { call } = await startServer();
    const answer = await call('POST', ENTRIES, {
      content: 'x',
      layer: 'user',
      knowledge_pointer: { source_type: 'nope' },
    });
    expectError(answer, 'VALIDATION_FAILED');
    const paths = answer.json.details.problems.map((problem: { path: string }) => problem.path);
    expect(paths).toContain('knowledge_pointer.source_type');
    expect(answer.json.message).toContain('knowledge_pointer.source_id: ');
    expect(answer.json.message).not.toContain('knowledgePointer');
  });

  it('unknown ones as the caller wrote them', async () => {
    const { call } = await startServer();
    const answer = await call('POST', ENTRIES, { content: 'x', layer: 'user', someThing: 1, other_thing: 2 });
    expect(answer.json.message).toMatch(/"someThing", "other_thing"; known are: .*content, .*knowledge_pointer/);
    expect(answer.json.details.problems[0].message).not.toMatch(/knowledgePointer|validTo/);
    const inner = await call('POST', `${ENTRIES}/search`, { query: 'x', filter: { tagz: ['a'], external_ids: ['b'] } });
    expect(inner.json.message).toMatch(/filter: unknown fields "tagz", "external_ids"; known are: tags, /);
    const many = [1, 2].map(() => ({ content: 'x', layer: 'user', colour: 1 }));
    const batch = await call('POST', `${ENTRIES}/batch`, { memories: many });
    expect(batch.json.message.match(/known are/g)).toHaveLength(1);
  });

  it('also others that the text speaks of, but nothing that a caller wrote', async () => {
    const failures = {
      add: invalidField('validTo', 'before validFrom, and not "validFrom"'),
      addMany: invalidField('memories.1.validTo', 'before validFrom'),
    };
    const { call, url } = await startServer({
      invokeAs: () => async (name) => {
        throw failures[name as keyof typeof failures];
      },
    });
    const memory = { content: 'x', layer: 'user' } as const;
    const one = await call('POST', ENTRIES, memory);
    expect(one.json.details.problems).toEqual([
      { path: 'valid_to', message: 'before valid_from, and not "validFrom"' },
    ]);
    expect(one.json.message).toBe('The input does not fit: valid_to: before valid_from, and not "validFrom".');
    const many = await call('POST', `${ENTRIES}/batch`, { memories: [memory] });
    expect(many.json.message).toBe('The input does not fit: memories.1.valid_to: before valid_from.');
    const client = new LaminaClient({ url }).as({ userId: 'ada' });
    await expect(client.add(memory)).rejects.toThrow(failures.add.message);
    await expect(client.addMany([memory])).rejects.toThrow(failures.addMany.message);
  });

  it('in paths into arrays and free JSON', async () => {
    const { call } = await startServer();
    const memories = [{ content: 'x', layer: 'user', metadata: { userId: { 'a.b': '\0' } } }];
    const answer = await call('POST', `${ENTRIES}/batch`, { memories });
    const message = 'contains a NUL character';
    expect(answer.json.details.problems).toEqual([{ path: 'memories.0.metadata.userId.a.b', message }]);
    const deep = await call('POST', `${ENTRIES}/batch`, {
      memories: [{ content: 'x', layer: 'user', decay_factor: 7 }],
    });
    expect(deep.json.details.problems[0].path).toBe('memories.0.decay_factor');
  });

  it('in missing identifiers', async () => {
    const { call } = await startServer();
    const answer = await call('POST', ENTRIES, { content: 'x', layer: 'project' });
    expectError(answer, 'MISSING_IDENTIFIER');
    expect(answer.json.details.missing).toEqual(['project_id']);
    expect(answer.json.message).toBe(
      'The project layer requires project_id; missing: project_id. Name it in the call.',
    );
    const given = await call('POST', ENTRIES, { content: 'x', layer: 'user', identifiers: { project_id: 'p' } });
    expect(given.json.message).toContain('Identifiers that are given are taken as they are: name your own as well.');
  });

  it('an unknown layer has its own code', async () => {
    const { call } = await startServer();
    expectError(await call('GET', `${ENTRIES}?layer=galaxy`), 'INVALID_LAYER');
  });
});

describe('request ids', () => {
  it.each(['a', 'A-z_0.9', 'x'.repeat(100)])('of the caller come back: %s', async (id) => {
    const { call } = await startServer();
    expect((await call('GET', '/live', undefined, { 'X-Request-ID': id })).headers.get('x-request-id')).toBe(id);
  });

  it.each(['', 'x'.repeat(101), 'a b', 'ü', '<script>'])('that are odd are replaced: %s', async (id) => {
    const { call } = await startServer();
    const given = (await call('GET', '/nothing', undefined, { 'X-Request-ID': id })).headers.get('x-request-id');
    expect(given).toMatch(/^[0-9a-f-]{36}$/);
  });
});
