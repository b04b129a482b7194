/** The client against a really listening server, and against servers that misbehave. */

import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { LaminaClient, LaminaError, type Memory, type OperationInput } from '../src/client/index.ts';
import { ERROR_TABLE, type ErrorCode } from '../src/domain/error.ts';
import { NIL_TENANT } from '../src/domain/principal.ts';
import { followOn, invokeOn } from '../src/operations/invoke.ts';
import { memoryOver } from '../src/operations/memory.ts';
import type { Invoke } from '../src/operations/table.ts';
import { coreOf, InMemoryCore } from './server/in-memory-core.ts';
import { startServer, type RunningServer } from './server/running-server.ts';

const ABSENT_ID = '01990b2e-6f3a-7cc1-9d54-3b7a1f0c2e88';
const FAST = { initialDelayMs: 1, maxDelayMs: 5 };
const ADA = { userId: 'ada' };

async function connected(): Promise<{ server: RunningServer; client: LaminaClient; memory: Memory }> {
  const server = await startServer();
  const client = new LaminaClient({ url: server.url, retry: FAST });
  return { server, client, memory: client.as(ADA) };
}

/** A stand-in for whatever else may answer. */
async function startStub(listener: RequestListener): Promise<string> {
  const stub = createServer(listener);
  await new Promise<void>((resolve) => stub.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    stub.closeAllConnections();
    stub.close();
  });
  return `http://127.0.0.1:${(stub.address() as AddressInfo).port}`;
}

async function failure(promise: Promise<unknown>): Promise<LaminaError> {
  const thrown: unknown = await promise.then(
    () => undefined,
    (error: unknown) => error,
  );
  expect(thrown).toBeInstanceOf(LaminaError);
  return thrown as LaminaError;
}

describe('the client', () => {
  it('does all that the library does', async () => {
    const { client, memory } = await connected();
    const metadata = { userId: 1, user_id: 2, nested: { decayFactor: true } };
    const added = await memory.add({ content: 'Ada likes tea', layer: 'user', metadata, decayFactor: 0.5 });
    expect(added).toMatchObject({ status: 'created', embeddingGenerated: true });
    expect(added.memory).toMatchObject({ metadata, decayFactor: 0.5, identifiers: { userId: 'ada' }, ownerId: 'ada' });
    const { id } = added.memory;
    expect(await memory.get({ id })).toEqual({ memory: added.memory });
    expect((await memory.search({ query: 'tea' })).totalCount).toBe(1);
    expect((await memory.update({ id, content: 'Ada likes coffee' })).memory.previousVersion).toBe(1);
    expect((await memory.versions({ id })).versions.map(({ memory: { version } }) => version)).toEqual([2, 1]);
    expect((await memory.list({ layer: 'user', identifiers: { userId: 'ada' } })).memories).toHaveLength(1);
    expect(await memory.addMany([{ content: 'more', layer: 'user' }])).toHaveLength(1);
    expect(await memory.forget({ ids: [id] })).toEqual({ deletedCount: 1 });
    expect(await memory.get({ id })).toEqual({ memory: null });
    expect(await memory.delete({ id })).toEqual({ success: false });
    await client.close();
    expect((await failure(memory.get({ id }))).code).toBe('UNAVAILABLE');
  });

  it('is who it says it is, whatever the name', async () => {
    const { server, client } = await connected();
    const names = [
      'plain',
      'with space',
      '100%',
      '%41',
      'José',
      '用户🙂',
      'a, b',
      'x'.repeat(100),
      ' edge ',
      'quote\'"',
      '+',
    ];
    for (const userId of names) await client.as({ userId, agentId: userId }).list({ layer: 'user' });
    expect(server.core.calls.map(({ principal }) => principal)).toEqual(
      names.map((userId) => ({ tenantId: NIL_TENANT, userId, agentId: userId, roles: ['member'] })),
    );
    const tenantId = 'abcdef00-0000-4000-8000-000000000001';
    await new LaminaClient({ url: server.url, principal: { tenantId, userId: 'u' } }).as().list({ layer: 'user' });
    expect(server.core.calls.at(-1)?.principal).toEqual({ tenantId, userId: 'u', roles: ['member'] });
  });

  it('cannot be nobody', async () => {
    const { client, server } = await connected();
    expect(() => client.as({ userId: '' })).toThrow(LaminaError);
    expect(() => client.as({} as never)).toThrow(LaminaError);
    expect(() => client.as({ userId: '\ud800' })).toThrow(LaminaError);
    expect(server.core.calls).toEqual([]);
  });

  it('carries list inputs through the query as they are', async () => {
    const { server, memory } = await connected();
    const input: OperationInput<'list'> = {
      layer: 'project',
      identifiers: { projectId: 'a&b=c #?+ ü' },
      kinds: ['semantic', 'procedural'],
      limit: 3,
      filter: { tags: ['a b', 'c,d'], hasKnowledgePointer: false, custom: { user_id: 'x', deepKey: { n: [1] } } },
    };
    await memory.list(input);
    expect(server.core.calls[0]?.input).toEqual(input);
  });

  it('sends its token and headers, and keeps the path of its url', async () => {
    const seen: unknown[] = [];
    const url = await startStub((request, response) => {
      seen.push(
        request.url,
        request.headers.authorization,
        request.headers['x-extra'],
        request.headers['content-type'],
      );
      response.end('{"deleted_count": 3}');
    });
    const client = new LaminaClient({ url: `${url}/prefix/`, token: 'secret', headers: { 'X-Extra': 'yes' } });
    expect(await client.as().forget({ ids: [ABSENT_ID] })).toEqual({ deletedCount: 3 });
    expect(seen).toEqual(['/prefix/v1/memory/entries/forget', 'Bearer secret', 'yes', 'application/json']);
  });

  it.each(['', 'not a url', 'ftp://host', '127.0.0.1:8787'])('refuses the url %j', (url) => {
    expect(() => new LaminaClient({ url })).toThrow(expect.objectContaining({ code: 'CONFIGURATION_ERROR' }) as Error);
  });

  it('refuses a token that no header can hold', () => {
    expect(() => new LaminaClient({ url: 'http://localhost', token: 'a\nb' })).toThrow(
      expect.objectContaining({ code: 'CONFIGURATION_ERROR' }) as Error,
    );
  });

  it('tells how the service is, also when it is not well', async () => {
    const { client } = await connected();
    expect(await client.health()).toEqual({
      status: 'healthy',
      latencyMs: 1,
      components: { storage: { status: 'healthy' } },
    });
    const ill = await startServer({ health: async () => ({ status: 'unhealthy', latencyMs: 2, components: {} }) });
    expect(await new LaminaClient({ url: ill.url }).health()).toEqual({
      status: 'unhealthy',
      latencyMs: 2,
      components: {},
    });
    const url = await startStub((_, response) => response.end('<html>'));
    expect((await failure(new LaminaClient({ url }).health())).code).toBe('PROVIDER_ERROR');
  });

  it('waits for what is under way when it is closed', async () => {
    const { client, memory } = await connected();
    const order: string[] = [];
    const adding = memory.add({ content: 'x', layer: 'user' }).then(() => order.push('added'));
    await client.close();
    order.push('closed');
    await adding;
    expect(order).toEqual(['added', 'closed']);
  });
});

describe('errors over the wire', () => {
  const cyclic: Record<string, unknown> = {};
  cyclic['self'] = cyclic;

  /** The same call, embedded and remote, must fail in the same way. */
  const calls: readonly (readonly [string, (memory: Memory) => Promise<unknown>])[] = [
    ['unknown layer', (memory) => memory.add({ content: 'x', layer: 'galaxy' as never })],
    ['missing identifier', (memory) => memory.add({ content: 'x', layer: 'project' })],
    ['unknown field', (memory) => memory.add({ content: 'x', layer: 'user', someThing: 1 } as never)],
    [
      'wrong types',
      (memory) => memory.add({ content: 5, layer: 'user', knowledgePointer: { sourceType: 1 } } as never),
    ],
    ['bad batch', (memory) => memory.addMany([{ content: 'x', layer: 'user', decayFactor: 2 }])],
    ['empty batch', (memory) => memory.addMany([])],
    ['bad id', (memory) => memory.get({ id: 'no-uuid' })],
    ['negative limit', (memory) => memory.list({ layer: 'user', limit: -1 })],
    ['long identifier', (memory) => memory.list({ layer: 'user', identifiers: { userId: 'x'.repeat(101) } })],
    ['empty tag', (memory) => memory.list({ layer: 'user', filter: { tags: [''] } })],
    ['NUL', (memory) => memory.add({ content: 'a\0b', layer: 'user', metadata: { userId: '\0' } })],
    ['lone surrogate', (memory) => memory.search({ query: '\ud800' })],
    ['BigInt', (memory) => memory.add({ content: 'x', layer: 'user', metadata: { n: 1n } })],
    ['NaN', (memory) => memory.search({ query: 'x', threshold: Number.NaN })],
    ['a cycle', (memory) => memory.add({ content: 'x', layer: 'user', metadata: cyclic })],
    ['a Date', (memory) => memory.add({ content: 'x', layer: 'user', metadata: { at: new Date(0) } })],
    ['a function', (memory) => memory.add({ content: 'x', layer: 'user', metadata: { f: () => 1 } })],
    ['absent update', (memory) => memory.update({ id: ABSENT_ID, content: 'x' })],
    ['absent versions', (memory) => memory.versions({ id: ABSENT_ID })],
  ];

  it.each(calls)('are those of the library: %s', async (_, call) => {
    const { memory } = await connected();
    const principal = { tenantId: NIL_TENANT, ...ADA };
    const core = coreOf(new InMemoryCore());
    const telemetry = { operationEnded: (): void => undefined };
    const embedded = memoryOver(invokeOn(core, principal, telemetry), followOn(core, principal, telemetry));
    const [local, remote] = [await failure(call(embedded)), await failure(call(memory))];
    expect({ ...remote.toJSON(), requestId: undefined }).toEqual(local.toJSON());
  });

  it.each([
    ['a limit as text', (memory: Memory) => memory.list({ layer: 'user', limit: '5' as never })],
    ['an unknown field', (memory: Memory) => memory.list({ layer: 'user', colour: 'red' } as never)],
    ['a field of a field', (memory: Memory) => memory.list({ layer: 'user', identifiers: { limit: 'x' } as never })],
    ['an empty list', (memory: Memory) => memory.list({ layer: 'user', kinds: [] })],
    ['null', (memory: Memory) => memory.list({ layer: 'user', cursor: null as never })],
    ['no id', (memory: Memory) => memory.get({} as never)],
    ['an empty id', (memory: Memory) => memory.delete({ id: '' })],
    ['dots', (memory: Memory) => memory.delete({ id: '..' })],
    ['no input', (memory: Memory) => memory.add(undefined as never)],
  ])('are VALIDATION_FAILED for what a URL cannot carry: %s', async (_, call) => {
    const { memory, server } = await connected();
    expect((await failure(call(memory))).code).toBe('VALIDATION_FAILED');
    expect(server.core.calls).toEqual([]);
  });

  it.each(Object.keys(ERROR_TABLE) as ErrorCode[])('keep %s with its message, operation and details', async (code) => {
    const problems = code === 'VALIDATION_FAILED' && { problems: [{ path: 'query', message: 'is too vague' }] };
    const details = { someKey: 1, other: { inner_key: 'userId' }, ...problems };
    const invokeAs = (): Invoke => async () => {
      throw new LaminaError(code, 'The layer needs something.', { details });
    };
    const { url } = await startServer({ invokeAs });
    const memory = new LaminaClient({ url, retry: { maxAttempts: 1 } }).as(ADA);
    const error = await failure(memory.search({ query: 'x' }));
    // The service says for how long, where waiting helps.
    const waits = code === 'UNAVAILABLE' || code === 'RATE_LIMITED';
    expect(error.toJSON()).toEqual({
      code,
      message: 'The layer needs something.',
      operation: 'search',
      details: waits ? { ...details, retryAfterMs: 1000 } : details,
      retryable: ERROR_TABLE[code].retryable,
      requestId: expect.stringMatching(/^[\da-f-]{36}$/),
    });
    expect(error.requestId).toBe(error.toJSON().requestId);
  });
});

describe('answers that are not ours', () => {
  it.each([
    [200, 'PROVIDER_ERROR'],
    [301, 'UNAVAILABLE'],
    [401, 'UNAUTHORIZED'],
    [403, 'FORBIDDEN'],
    [404, 'NOT_FOUND'],
    [413, 'LIMIT_EXCEEDED'],
    [418, 'PROVIDER_ERROR'],
    [429, 'RATE_LIMITED'],
    [500, 'PROVIDER_ERROR'],
    [502, 'UNAVAILABLE'],
    [503, 'UNAVAILABLE'],
    [504, 'UNAVAILABLE'],
  ] as const)('with status %i are %s', async (status, code) => {
    const url = await startStub((_, response) => {
      response.writeHead(status, { 'Content-Type': 'text/html', Location: '/elsewhere' }).end('<h1>Proxy</h1>');
    });
    const memory = new LaminaClient({ url, retry: { maxAttempts: 1 } }).as(ADA);
    for (const call of [memory.get({ id: ABSENT_ID }), memory.add({ content: 'x', layer: 'user' })]) {
      const error = await failure(call);
      expect(error.code).toBe(code);
      expect(error.operation).not.toBe('');
    }
  });

  it.each(['null', '"text"', '5', '{"code":"NO_SUCH_CODE","message":"x"}'])(
    'with status 500 and %s are PROVIDER_ERROR',
    async (body) => {
      const url = await startStub((_, response) => response.writeHead(500).end(body));
      const error = await failure(new LaminaClient({ url, retry: { maxAttempts: 1 } }).as(ADA).get({ id: ABSENT_ID }));
      expect(error.code).toBe('PROVIDER_ERROR');
    },
  );

  it('and silence are UNAVAILABLE', async () => {
    const deaf = await startStub(() => undefined);
    const memory = new LaminaClient({ url: deaf, timeoutMs: 20, retry: { maxAttempts: 1 } }).as(ADA);
    const error = await failure(memory.add({ content: 'x', layer: 'user' }));
    expect([error.code, error.message]).toEqual(['UNAVAILABLE', `The service at ${deaf} did not answer within 20 ms.`]);
    // A write may have been done all the same.
    expect(error.details).toEqual({ outcome: 'unknown' });
    const readings = [
      () => memory.get({ id: ABSENT_ID }),
      () => memory.search({ query: 'x' }),
      () => memory.openspec.query({ query: 'x' }),
    ];
    for (const read of readings) expect((await failure(read())).details).toBeUndefined();
    const cut = await startStub((request) => request.socket.destroy());
    expect(
      (await failure(new LaminaClient({ url: cut, retry: { maxAttempts: 1 } }).as(ADA).get({ id: ABSENT_ID }))).code,
    ).toBe('UNAVAILABLE');
    const nobody = new LaminaClient({ url: 'http://127.0.0.1:1', retry: { maxAttempts: 1 } });
    expect(await failure(nobody.health())).toMatchObject({
      code: 'UNAVAILABLE',
      message: 'The service at http://127.0.0.1:1 cannot be reached.',
    });
  });
});

describe('retries', () => {
  /** Fails the first calls with each of these, then hands on to the real server. */
  async function flaky(failures: readonly (number | 'cut')[], mode: 'before' | 'after' = 'before') {
    const server = await startServer();
    let count = 0;
    const url = await startStub((request, response) => {
      void (async () => {
        const chunks: Buffer[] = [];
        for await (const chunk of request) chunks.push(chunk as Buffer);
        const failing = failures[count];
        count += 1;
        const forward = () => {
          const { host: _, connection: __, ...headers } = request.headers as Record<string, string>;
          const body = chunks.length > 0 ? Buffer.concat(chunks) : undefined;
          return fetch(server.url + (request.url ?? ''), {
            method: request.method ?? 'GET',
            headers,
            ...(body && { body }),
          });
        };
        if (failing !== undefined && mode === 'after') await forward();
        if (failing === 'cut') return request.socket.destroy();
        if (failing !== undefined) return response.writeHead(failing).end();
        const answer = await forward();
        return response.writeHead(answer.status).end(await answer.text());
      })();
    });
    return { server, memory: new LaminaClient({ url, retry: FAST }).as(ADA), attempts: () => count };
  }

  it('get through when it fails twice', async () => {
    const { memory, attempts } = await flaky([503, 'cut']);
    expect((await memory.add({ content: 'x', layer: 'user' })).status).toBe('created');
    expect(attempts()).toBe(3);
  });

  it('give up after the third failure', async () => {
    const { memory, attempts } = await flaky([502, 502, 502, 502]);
    expect((await failure(memory.search({ query: 'x' }))).code).toBe('UNAVAILABLE');
    expect(attempts()).toBe(3);
  });

  it.each([
    ['maintenance.run', (memory: Memory) => memory.maintenance.run({ job: 'expiry' })],
    [
      'openspec.batch',
      (memory: Memory) => memory.openspec.batch({ operation: 'delete', entries: [{ id: ABSENT_ID }] }),
    ],
    [
      'contextSnapshots.restore',
      (memory: Memory) => memory.contextSnapshots.restore({ contextId: 'c', snapshotId: ABSENT_ID }),
    ],
  ])('do not repeat %s, which answers something else the second time', async (_, call) => {
    const { memory, attempts } = await flaky(['cut'], 'after');
    expect(await failure(call(memory))).toMatchObject({ code: 'UNAVAILABLE', details: { outcome: 'unknown' } });
    expect(attempts()).toBe(1);
  });

  it('wait for as long as the service asks for, also where only the header tells', async () => {
    const body = JSON.stringify({ code: 'UNAVAILABLE', message: 'Too much to do.', operation: 'search' });
    const times: number[] = [];
    const url = await startStub((_, response) => {
      times.push(performance.now());
      response.writeHead(503, { 'Retry-After': '1' }).end(body);
    });
    const retry = { maxAttempts: 2, initialDelayMs: 1 };
    const error = await failure(new LaminaClient({ url, retry }).as(ADA).search({ query: 'x' }));
    expect(error.details).toEqual({ retryAfterMs: 1000 });
    const [first = 0, second = 0] = times;
    expect(second - first).toBeGreaterThan(990);
  });

  it('do not repeat what cannot get better', async () => {
    const { memory, attempts } = await flaky([]);
    await failure(memory.add({ content: 'x', layer: 'galaxy' as never }));
    expect(attempts()).toBe(1);
  });

  it('do not remember an episode twice when only the answer was lost', async () => {
    const { memory, server, attempts } = await flaky(['cut', 503], 'after');
    const { memory: entry } = await memory.add({ content: 'Ada came in', layer: 'user', kind: 'episodic' });
    expect(attempts()).toBe(3);
    expect([...server.core.stored.keys()]).toEqual([entry.id]);
  });

  it('nor a batch of them, whose order stays', async () => {
    const { memory, server } = await flaky(['cut'], 'after');
    const contents = Array.from({ length: 50 }, (_, n) => `turn ${n}`);
    const added = await memory.addMany(contents.map((content) => ({ content, layer: 'user', kind: 'episodic' })));
    expect(added.map((each) => each.memory.content)).toEqual(contents);
    expect(server.core.stored.size).toBe(50);
    const ids = added.map((each) => each.memory.id);
    expect(ids.toSorted()).toEqual(ids);
  });

  it('leave ids alone where the caller or the content names the entry', async () => {
    const { server, memory } = await connected();
    await memory.add({ content: 'a', layer: 'user', kind: 'episodic', externalId: 'mine' });
    await memory.add({ content: 'b', layer: 'user', kind: 'episodic', id: ABSENT_ID });
    await memory.add({ content: 'c', layer: 'user' });
    const ids = server.core.calls.map(({ input }) => (input as { id?: string }).id);
    expect(ids).toEqual([undefined, ABSENT_ID, undefined]);
  });
});
