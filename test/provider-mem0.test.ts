/** The mem0 adapter against doubles of both sorts of server. */

import { describe, expect, it } from 'vitest';
import { LaminaError } from '../src/domain/error.ts';
import type { DeclaringProvider } from '../src/domain/provider.ts';
import { mem0Provider } from '../src/providers/mem0-provider.ts';
import { ManualClock } from '../src/testing/manual-clock.ts';
import { providerContract } from '../src/testing/provider-contract.ts';
import { untilTestEnds, type JsonServer } from './json-server.ts';
import { MEM0_KEY, startMem0Platform, startMem0Server } from './mem0-double.ts';

const userId = 'alice';
const API = { server: startMem0Server, platform: startMem0Platform };

async function opened(api: keyof typeof API, server: JsonServer): Promise<DeclaringProvider> {
  const provider = mem0Provider({ clock: new ManualClock(), random: () => 0 });
  await provider.initialize({ api, baseUrl: `${server.url}/`, apiKey: MEM0_KEY });
  return provider;
}

for (const api of ['server', 'platform'] as const) {
  providerContract({ describe, it }, `mem0 ${api}`, async () => {
    const server = await API[api]();
    const provider = await opened(api, server);
    return { provider, userId, close: () => server.close() };
  });
}

providerContract({ describe, it }, 'mem0 server on a store that filters by nothing but entities', async () => {
  const server = await startMem0Server({ ignoresMetadata: true });
  return { provider: await opened('server', server), userId, close: () => server.close() };
});

describe('what a mem0 server is asked', () => {
  it.each([
    ['agent', { agent_id: 'planner' }, { _layer: 'agent', _userId: 'alice', _agentId: 'planner' }],
    ['user', { user_id: 'alice' }, { _layer: 'user', _userId: 'alice' }],
    ['session', { run_id: 'monday' }, { _layer: 'session', _userId: 'alice', _sessionId: 'monday' }],
    ['project', { user_id: 'project:apollo' }, { _layer: 'project', _projectId: 'apollo' }],
    ['company', { user_id: 'company:initech' }, { _layer: 'company', _companyId: 'initech' }],
  ] as const)(
    'the %s layer is one entity and fields of metadata, and texts are stored as they are',
    async (layer, entity, fields) => {
      const server = untilTestEnds(await startMem0Server());
      const provider = await opened('server', server);
      const identifiers = {
        userId,
        agentId: 'planner',
        sessionId: 'monday',
        projectId: 'apollo',
        companyId: 'initech',
      };
      await provider.add({ content: 'Ada drinks tea', layer, identifiers, metadata: { tags: ['t'] } });
      await provider.search({ query: 'tea', layers: [layer], identifiers });
      const [add, , search] = server.requests;
      expect(add).toMatchObject({ method: 'POST', path: '/memories', headers: { 'x-api-key': MEM0_KEY } });
      expect(add?.body).toEqual({
        messages: [{ role: 'user', content: 'Ada drinks tea' }],
        ...entity,
        metadata: { tags: ['t'], ...fields },
        infer: false,
      });
      expect(search?.path).toBe('/search');
      expect(search?.body).toEqual({ query: 'tea', filters: { ...entity, ...fields }, top_k: 100, threshold: 0.1 });
    },
  );

  it('the platform gets one condition a field, and the whole list page by page, from nowhere else', async () => {
    const server = untilTestEnds(await startMem0Platform());
    const provider = await opened('platform', server);
    const place = { layer: 'project', identifiers: { projectId: 'apollo' } } as const;
    for (let index = 0; index < 101; index += 1) await provider.add({ ...place, content: `note ${index}` });
    server.requests.length = 0;
    expect((await provider.list({ ...place, limit: 100 })).totalCount).toBe(101);
    expect(server.requests.map(({ path, query }) => `${path}?${query.toString()}`)).toEqual([
      '/v3/memories/?page=1&page_size=100',
      '/v3/memories/?page=2&page_size=100',
    ]);
    expect(server.requests[0]?.body).toEqual({
      filters: {
        AND: [
          { user_id: 'project:apollo' },
          { metadata: { _layer: 'project' } },
          { metadata: { _projectId: 'apollo' } },
        ],
      },
    });
  });
});

async function failureOf(call: Promise<unknown>): Promise<LaminaError> {
  const error: unknown = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof LaminaError)) throw new Error(`not a LaminaError: ${String(error)}`);
  expect(JSON.stringify(error) + String(error.cause)).not.toContain(MEM0_KEY);
  return error;
}

describe('a mem0 server with trouble', () => {
  const place = { layer: 'user', identifiers: { userId } } as const;

  it.each([
    [{ status: 401, body: { detail: `Invalid API key ${MEM0_KEY}` } }, 'UNAUTHORIZED', false],
    [{ status: 403 }, 'UNAUTHORIZED', false],
    [{ status: 400, body: 'the secret text' }, 'PROVIDER_ERROR', false],
    [{ status: 302, headers: { location: 'http://127.0.0.1:9/' } }, 'PROVIDER_ERROR', false],
    [{ status: 200, body: '<html>' }, 'PROVIDER_ERROR', true],
    [{ status: 200, body: { results: [{ id: 1 }] } }, 'PROVIDER_ERROR', true],
    [{ status: 500 }, 'PROVIDER_ERROR', true],
    [{ status: 429 }, 'RATE_LIMITED', true],
    ['drop', 'PROVIDER_ERROR', true],
  ] as const)('answers %j with %s, and is asked again only where that helps', async (trouble, code, canPass) => {
    const server = untilTestEnds(await startMem0Server());
    const provider = await opened('server', server);
    server.troubles.push(trouble, trouble, trouble);
    const error = await failureOf(provider.list(place));
    expect([error.code, error.retryable]).toEqual([code, canPass]);
    expect(error.message).not.toContain('secret');
    expect(server.requests).toHaveLength(canPass ? 3 : 1);
  });

  it('does not get a memory twice because an answer was lost', async () => {
    const server = untilTestEnds(await startMem0Server());
    const provider = await opened('server', server);
    server.troubles.push('drop');
    await failureOf(provider.add({ ...place, content: 'Ada drinks tea' }));
    expect(server.requests).toHaveLength(1);
    server.troubles.push({ status: 429, headers: { 'retry-after': '7' } });
    await provider.add({ ...place, content: 'Ada drinks tea' });
    expect((await provider.list(place)).totalCount).toBe(1);
  });

  it('says when it cannot list all', async () => {
    const server = untilTestEnds(await startMem0Server());
    const provider = await opened('server', server);
    const full = Array.from({ length: 1000 }, (_, index) => ({ id: `${index}`, memory: 'x' }));
    server.troubles.push({ body: { results: full } });
    expect((await failureOf(provider.list(place))).code).toBe('LIMIT_EXCEEDED');
  });

  it('hides what others have written there', async () => {
    const server = untilTestEnds(await startMem0Server());
    const provider = await opened('server', server);
    await fetch(`${server.url}/memories`, {
      method: 'POST',
      headers: { 'x-api-key': MEM0_KEY },
      body: JSON.stringify({ messages: [{ role: 'user', content: 'tea' }], user_id: userId, infer: false }),
    });
    expect((await provider.list(place)).totalCount).toBe(0);
    expect((await provider.search({ query: 'tea', identifiers: { userId } })).results).toEqual([]);
  });

  it('takes no metadata under names of its own', async () => {
    const server = untilTestEnds(await startMem0Server());
    const provider = await opened('server', server);
    for (const name of ['data', 'user_id', '_layer', '_userId']) {
      const error = await failureOf(provider.add({ ...place, content: 'tea', metadata: { [name]: 'bob' } }));
      expect([error.code, error.message.includes(`metadata.${name}`)]).toEqual(['VALIDATION_FAILED', true]);
    }
    expect(server.requests).toEqual([]);
  });
});

describe('configuration that can never work', () => {
  it.each([
    {},
    { baseUrl: 'localhost:8888' },
    { baseUrl: `https://user:${MEM0_KEY}@example.com` },
    { baseUrl: 'https://example.com', apiKey: `${MEM0_KEY}€` },
    { baseUrl: 'https://example.com', api: 'v7' },
    { baseUrl: 'https://example.com', colour: 'red' },
  ])('is refused at once (%#)', async (config) => {
    expect((await failureOf(mem0Provider().initialize(config))).code).toBe('CONFIGURATION_ERROR');
  });

  it('is none of a provider that was not initialized, or is shut down', async () => {
    const server = untilTestEnds(await startMem0Server());
    const provider = mem0Provider();
    expect((await failureOf(provider.get({ id: 'x' }))).code).toBe('CONFIGURATION_ERROR');
    expect(await provider.healthCheck()).toMatchObject({ status: 'unhealthy' });
    await provider.initialize({ baseUrl: server.url, apiKey: MEM0_KEY });
    expect(await provider.get({ id: 'x' })).toEqual({ memory: null });
    await provider.shutdown();
    expect((await failureOf(provider.get({ id: 'x' }))).code).toBe('CONFIGURATION_ERROR');
  });
});
