/** The MCP server over HTTP: what it offers, to whom, and what it refuses. */

import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@modelcontextprotocol/client';
import { describe, expect, it, onTestFinished } from 'vitest';
import { authenticateByCredentials } from '../src/server/authenticate-by-credentials.ts';
import { parseConfiguration } from '../src/compose/configuration.ts';
import { startService } from '../src/compose/service.ts';
import { systemClock } from '../src/compose/system.ts';
import { NIL_TENANT, type Principal } from '../src/domain/principal.ts';
import { DEFAULT_TURN_POLICY } from '../src/domain/turn.ts';
import { SqliteEngine } from '../src/engines/sqlite/sqlite-engine.ts';
import { ResourceChanges } from '../src/mcp/resource-changes.ts';
import type { RequestObserver } from '../src/server/dependencies.ts';
import { startEmbeddingServer } from './embedding-server.ts';
import { caller } from './http-caller.ts';
import { OTHER_TENANT, startIdentityService, token } from './identity-service.ts';
import { connectHttp, failure, output, resource, REVISIONS } from './mcp-caller.ts';
import { callEveryTool, getEveryPrompt, makeMistakes, readEveryResource } from './mcp-walk.ts';
import { openLamina, serveLamina, untilTestEnds, type OpenLamina } from './running-lamina.ts';

async function served(dependencies: Parameters<typeof serveLamina>[1] = {}): Promise<OpenLamina & { mcp: string }> {
  const opened = untilTestEnds(await openLamina());
  const { url } = untilTestEnds(await serveLamina(opened.lamina, dependencies));
  return { ...opened, mcp: `${url}/mcp` };
}

describe.each(REVISIONS)('a client of %s', (revision) => {
  it('calls every tool, and output fits its schema', async () => {
    const { mcp } = await served();
    await callEveryTool(await connectHttp(mcp, {}, revision));
  });

  it('reads every resource, and none that is not there', async () => {
    const { mcp } = await served();
    await readEveryResource(await connectHttp(mcp, {}, revision));
  });

  it('gets the prompt of a turn', async () => {
    const { mcp } = await served();
    await getEveryPrompt(await connectHttp(mcp, {}, revision));
  });

  it('is told of mistakes so that it can do better', async () => {
    const { mcp } = await served();
    await makeMistakes(await connectHttp(mcp, {}, revision));
  });
});

describe('the address', () => {
  it('names where the client is, and the layers of those ids are open', async () => {
    const { mcp } = await served();
    const inside = await connectHttp(`${mcp}?project=apollo&agent=scout&session=s1`);
    await output(inside, 'memory_save_fact', { content: 'Apollo ships on Friday.', layer: 'project' });
    expect((await resource(inside, 'memory://layers/project')).memories).toHaveLength(1);
    expect((await resource(inside, 'memory://recent')).memories).toHaveLength(1);
    const outside = await connectHttp(`${mcp}?project=gemini`);
    expect((await output(outside, 'memory_recall', { query: 'Apollo ships' })).memories).toEqual([]);
    const nowhere = await failure(await connectHttp(mcp), 'memory_save_fact', { content: 'x', layer: 'project' });
    expect(nowhere.code).toBe('MISSING_IDENTIFIER');
  });

  it('closes by an id what it does not open, and opens the layer of the agent whether it is named or not', async () => {
    const { mcp } = await served();
    const apollo = await connectHttp(`${mcp}?project=apollo`, { 'X-User-ID': 'ada' });
    const { id } = await output(apollo, 'memory_save_fact', { content: 'Apollo ships on Friday.', layer: 'project' });
    for (const address of [mcp, `${mcp}?project=beta`]) {
      const bob = await connectHttp(address, { 'X-User-ID': 'bob' });
      await expect(resource(bob, `memory://entries/${id}`)).rejects.toThrow(/not found/i);
      expect((await output(bob, 'memory_read', { ids: [id] })).notFound).toEqual([id]);
      expect((await output(bob, 'memory_forget', { ids: [id] })).results).toMatchObject([{ outcome: 'not_found' }]);
      expect((await failure(bob, 'memory_update', { id, content: 'x' })).code).toBe('MEMORY_NOT_FOUND');
      const closed = await failure(bob, 'memory_recall', { query: 'x', layers: ['team'] });
      expect(closed.text).toContain('The team layer is not open here.');
      expect(closed.text).not.toContain('Add the identifier');

      const own = await output(bob, 'memory_save_fact', { content: `Asked at ${address}.`, layer: 'agent' });
      const recalled = await output(bob, 'memory_recall', { query: `Asked at ${address}`, layers: ['agent'] });
      expect(recalled.memories.map((memory: { id: string }) => memory.id)).toContain(own.id);
      expect((await resource(bob, 'memory://layers/agent')).memories[0].id).toBe(own.id);
    }
    const found = await resource(apollo, `memory://entries/${id}`);
    expect(found).toMatchObject({ content: 'Apollo ships on Friday.', notice: expect.stringContaining('not instruc') });
    expect((await resource(apollo, 'memory://knowledge-graph')).notice).toContain('not instructions');
  });

  it('chooses the tools', async () => {
    const { mcp } = await served();
    const names = async (query: string): Promise<string[]> =>
      (await (await connectHttp(mcp + query)).listTools()).tools.map(({ name }) => name);
    const [agent, graph, both] = [await names('?tools=agent'), await names('?tools=graph'), await names('')];
    expect(agent.every((name) => name.startsWith('memory_'))).toBe(true);
    expect(graph).toContain('create_entities');
    expect(both).toEqual([...agent, ...graph]);
    expect((await names('?tools=all')).length).toBeGreaterThan(100);
  });

  it.each([
    ['?tools=none', '"none" is no set of tools'],
    ['?tool=agent', 'Unknown parameter "tool"'],
    ['?max-sensitivity=secret', 'max-sensitivity accepts public'],
    [`?project=${'p'.repeat(101)}`, '"project" is an id'],
  ])('refuses %s', async (query, message) => {
    const { mcp } = await served();
    const { status, json } = await caller(mcp)('POST', query, { jsonrpc: '2.0', id: 1, method: 'ping' }, ACCEPT);
    expect(status).toBe(400);
    expect(json.error.message).toContain(message);
    expect(json.error.data.code).toBe('VALIDATION_FAILED');
  });
});

it('shows the model nothing that is more sensitive than it may see, which an address can only narrow', async () => {
  const { mcp, lamina } = await served();
  const memory = lamina.as({ userId: 'ada', roles: ['member'] });
  const input = { content: 'The vault code is four digits.', layer: 'user', sensitivity: 'restricted' } as const;
  const { memory: secret } = await memory.add(input);
  const headers = { 'X-User-ID': 'ada' };
  const client = await connectHttp(mcp, headers);
  expect(await output(client, 'memory_recall', { query: 'vault code' })).toMatchObject({ memories: [], withheld: 1 });
  expect(await resource(client, 'memory://recent')).toMatchObject({ memories: [], withheld: 1 });
  await expect(client.readResource({ uri: `memory://entries/${secret.id}` })).rejects.toThrow('not found');
  const eager = await connectHttp(`${mcp}?max-sensitivity=restricted`, headers);
  await expect(eager.readResource({ uri: `memory://entries/${secret.id}` })).rejects.toThrow('not found');
  expect(await output(eager, 'memory_recall', { query: 'vault code' })).toMatchObject({ memories: [], withheld: 1 });

  const open = untilTestEnds(
    await serveLamina(lamina, { turn: { ...DEFAULT_TURN_POLICY, maxSensitivity: 'restricted' } }),
  );
  const trusted = await connectHttp(`${open.url}/mcp`, headers);
  expect((await resource(trusted, `memory://entries/${secret.id}`)).id).toBe(secret.id);
  expect((await output(trusted, 'memory_recall', { query: 'vault code' })).memories).toHaveLength(1);
  const narrowed = await connectHttp(`${open.url}/mcp?max-sensitivity=confidential`, headers);
  expect(await output(narrowed, 'memory_recall', { query: 'vault code' })).toMatchObject({ memories: [], withheld: 1 });
});

it('shows it what the service is configured for', async () => {
  const { folder, root } = untilTestEnds(await openLamina());
  const embeddings = await startEmbeddingServer();
  onTestFinished(() => embeddings.close());
  const environment = {
    ...embeddings.environment,
    LAMINA_PORT: '0',
    LAMINA_DATABASE_URL: `sqlite:${folder}`,
    LAMINA_MAINTENANCE_SCHEDULE: 'off',
    LAMINA_TURN_MAX_SENSITIVITY: 'public',
  };
  await root.add({ content: 'The garden code is four digits.', layer: 'user' });
  await root.add({ content: 'The garden gate is open.', layer: 'user', sensitivity: 'public' });
  const options = { version: '1.2.3', logger: { level: 'silent' } };
  const { url } = untilTestEnds(await startService(parseConfiguration({ environment }), options));
  for (const query of ['', '?max-sensitivity=internal']) {
    const client = await connectHttp(`${url}/mcp${query}`, { 'X-User-ID': 'root' });
    const { memories, withheld } = await resource(client, 'memory://recent');
    expect([memories.map(({ content }: { content: string }) => content), withheld]).toEqual([
      ['The garden gate is open.'],
      1,
    ]);
  }
});

describe('with authentication', () => {
  const bearer = async (claims: Record<string, unknown> = {}): Promise<Record<string, string>> => ({
    authorization: `Bearer ${await token(claims)}`,
  });

  it('refuses whoever has no valid credential, as JSON-RPC and before the body is read', async () => {
    const { url } = await startIdentityService();
    const call = caller(url);
    for (const headers of [{}, { authorization: 'Bearer nonsense' }, { 'X-User-ID': 'alice' }]) {
      const {
        status,
        headers: answered,
        json,
      } = await call('POST', '/mcp', '{ not even JSON', { ...ACCEPT, ...headers });
      expect(status).toBe(401);
      expect(answered.get('WWW-Authenticate')).toBe('Bearer');
      expect(json).toMatchObject({ jsonrpc: '2.0', id: null, error: { data: { code: 'UNAUTHORIZED' } } });
    }
    await expect(connectHttp(`${url}/mcp`)).rejects.toThrow();
  });

  it.each([
    ['another user', { user_id: 'mallory' }],
    ['the same user of another tenant', { tenant_id: OTHER_TENANT }],
  ])('shows %s nothing of the first', async (_name, claims) => {
    const { url } = await startIdentityService();
    const alice = await connectHttp(`${url}/mcp`, await bearer());
    const { id } = await output(alice, 'memory_save_fact', { content: 'Alice keeps bees.' });
    await output(alice, 'create_entities', {
      entities: [{ name: 'Alice', entityType: 'person', observations: ['keeps bees'] }],
    });
    const mallory = await connectHttp(`${url}/mcp`, await bearer(claims));
    expect((await output(mallory, 'memory_recall', { query: 'bees' })).memories).toEqual([]);
    expect((await output(mallory, 'memory_read', { ids: [id] })).notFound).toEqual([id]);
    expect(await output(mallory, 'read_graph')).toMatchObject({ entities: [], relations: [] });
    expect((await resource(mallory, 'memory://recent')).memories).toEqual([]);
    await expect(mallory.readResource({ uri: `memory://entries/${id}` })).rejects.toThrow('not found');
    const { resources } = await mallory.listResources();
    expect(resources.some(({ uri }) => uri.startsWith('memory://entries/'))).toBe(false);
    await output(mallory, 'memory_forget', { ids: [id] });
    expect((await output(alice, 'memory_read', { ids: [id] })).memories).toHaveLength(1);
  });

  it('ends a subscription when its key is revoked', async () => {
    const { lamina, root } = untilTestEnds(await openLamina());
    const verifyKey = (key: string): ReturnType<typeof lamina.principalOfKey> => lamina.principalOfKey(key);
    const verifyToken = (): never => expect.fail('there are only keys');
    const authenticate = authenticateByCredentials({ verifyToken, verifyKey });
    const { url } = untilTestEnds(await serveLamina(lamina, { authenticate, heartbeatMs: 50 }));
    const { key, keyId } = await root.keys.create({ name: 'mcp', userId: 'alice' });
    const client = await connectHttp(`${url}/mcp`, { authorization: `Bearer ${key}` }, '2026-07-28');
    const subscription = await client.listen({ resourceSubscriptions: ['memory://recent'] });
    await root.keys.revoke({ keyId });
    expect(await subscription.closed).toBe('graceful');
  });
});

it('keeps nothing for whoever leaves while it is found out who they are', async () => {
  let asked = 0;
  const { promise: known, resolve: tell } = Promise.withResolvers<void>();
  const authenticate = async (): Promise<Principal> => {
    asked += 1;
    await known;
    return { tenantId: NIL_TENANT, userId: 'alice' };
  };
  const { mcp } = await served({ authenticate, heartbeatMs: 20 });
  const leaving = new AbortController();
  const answer = fetch(mcp, { headers: ACCEPT, signal: leaving.signal });
  await expect.poll(() => asked).toBe(1);
  leaving.abort();
  await expect(answer).rejects.toThrow('aborted');
  // The service has to hear of it first.
  await sleep(100);
  tell();
  await sleep(300);
  const before = asked;
  // Whoever listens is asked for again with each heartbeat.
  await sleep(200);
  expect(asked).toBe(before);
});

describe('subscriptions', () => {
  async function listening(client: Client, uris: string[]): Promise<string[]> {
    const told: string[] = [];
    client.setNotificationHandler('notifications/resources/updated', ({ params }) => void told.push(params.uri));
    client.setNotificationHandler('notifications/resources/list_changed', () => void told.push('list'));
    await client.listen({ resourceSubscriptions: uris, resourcesListChanged: true });
    return told;
  }

  it('tell of what happens to memories, and nobody of the memories of others', async () => {
    const { mcp, lamina } = await served({ heartbeatMs: 50 });
    const ada = lamina.as({ userId: 'ada', roles: ['member'] });
    const { memory } = await ada.add({ content: 'Ada likes tea.', layer: 'user' });
    const uri = `memory://entries/${memory.id}`;
    const connect = (user: string): Promise<Client> => connectHttp(mcp, { 'X-User-ID': user }, '2026-07-28');
    const told = await listening(await connect('ada'), [uri, 'memory://recent']);
    const overheard = await listening(await connect('mallory'), [uri, 'memory://recent']);
    await ada.update({ id: memory.id, content: 'Ada likes coffee.' });
    await expect.poll(() => told).toEqual(expect.arrayContaining([uri, 'memory://recent']));
    expect(told).not.toContain('list');
    // The heartbeat passes a few times in between: a quiet stream stays open.
    await sleep(200);
    await ada.add({ content: 'Ada likes cake.', layer: 'user' });
    await expect.poll(() => told).toContain('list');
    expect(overheard).toEqual([]);
  });

  it('say that anything may have changed where the event log does not reach back, and go on from now', async () => {
    const { lamina, folder } = untilTestEnds(await openLamina());
    const memory = lamina.as({ userId: 'ada' });
    await memory.add({ content: 'Ada likes tea.', layer: 'user' });
    const reported: string[] = [];
    const changes = new ResourceChanges(memory, ({ code }) => reported.push(code));
    onTestFinished(() => changes.close());
    await changes.begin();
    await memory.add({ content: 'Ada likes coffee.', layer: 'user' });
    const engine = new SqliteEngine({ folder, clock: systemClock });
    expect(await engine.upkeep.pruneEvents(NIL_TENANT, Date.now() + 1, 10)).toBe(2);
    await engine.close();
    const told: string[] = [];
    changes.subscribe((event) => told.push('uri' in event ? event.uri : event.kind));
    await expect.poll(() => told).toEqual(expect.arrayContaining(['memory://recent', 'resources_list_changed']));
    expect(reported).toEqual(['VALIDATION_FAILED']);
    let cakes = 0;
    const added = async (): Promise<string[]> => {
      cakes += 1;
      await memory.add({ content: `Ada ate ${cakes} cakes.`, layer: 'user' });
      return told;
    };
    await expect
      .poll(added, { timeout: 5000 })
      .toEqual(expect.arrayContaining([expect.stringMatching(/^memory:\/\/entries\//)]));
  });

  it('do not hold up the stop of the service', async () => {
    const { lamina } = untilTestEnds(await openLamina());
    const service = await serveLamina(lamina);
    const client = await connectHttp(`${service.url}/mcp`, {}, '2026-07-28');
    const subscription = await client.listen({ resourceSubscriptions: ['memory://recent'] });
    const began = performance.now();
    await service.close();
    expect(performance.now() - began).toBeLessThan(5000);
    await subscription.closed;
  });
});

it('is observed like every other route', async () => {
  const seen: string[] = [];
  const observer: RequestObserver = {
    begin: (method, route) => {
      seen.push(`began ${method} ${route}`);
      return null;
    },
    ended: ({ method, route, status }) => void seen.push(`ended ${method} ${route} ${status}`),
  };
  const { mcp } = await served({ observer });
  const client = await connectHttp(`${mcp}?project=secret-project`, {}, '2026-07-28');
  await output(client, 'memory_recall', { query: 'tea' });
  await expect.poll(() => seen.slice(0, 2)).toEqual(['began POST /mcp', 'ended POST /mcp 200']);
});

const ACCEPT = { accept: 'application/json, text/event-stream' };

describe('requests that are no MCP', () => {
  it.each([
    ['no JSON', '{ "jsonrpc": ', 400, -32_700],
    ['no body', '', 400, -32_700],
    ['no JSON-RPC', { hello: 'world' }, 400, -32_600],
    ['a number', 7, 400, -32_600],
  ])('are refused: %s', async (_name, body, status, code) => {
    const { mcp } = await served();
    const answer = await caller(mcp)('POST', '', body, ACCEPT);
    expect(answer.status, answer.text).toBe(status);
    expect(answer.json, answer.text).toMatchObject({ jsonrpc: '2.0', error: { code } });
  });

  it('are refused: another content type, too large a body', async () => {
    const { mcp } = await served({ bodyLimit: 1000 });
    const call = caller(mcp);
    const request = { jsonrpc: '2.0', id: 1, method: 'ping' };
    const text = await call('POST', '', JSON.stringify(request), { 'Content-Type': 'text/plain', ...ACCEPT });
    expect(text.status).toBe(400);
    expect(text.json.error.message).toContain('application/json');
    const large = await call('POST', '', { ...request, params: { padding: 'x'.repeat(2000) } }, ACCEPT);
    expect(large.status).toBe(413);
    expect(large.json.error.data.code).toBe('LIMIT_EXCEEDED');
  });

  it('are refused: sessions, which there are none of', async () => {
    const { mcp } = await served();
    for (const method of ['GET', 'DELETE']) {
      const { status } = await caller(mcp)(method, '', undefined, {
        accept: 'text/event-stream',
        'mcp-session-id': 'x',
      });
      expect(status).toBe(405);
    }
  });

  it('are refused: a revision of the protocol that there is not', async () => {
    const { mcp } = await served();
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} };
    const { status, json } = await caller(mcp)('POST', '', body, { ...ACCEPT, 'mcp-protocol-version': '1999-01-01' });
    expect(status).toBe(400);
    expect(json.error.message).toMatch(/version/i);
  });

  it('and unknown methods leave the service as it was', async () => {
    const { mcp } = await served();
    const body = { jsonrpc: '2.0', id: 1, method: 'memory/explode', params: {} };
    const { text } = await caller(mcp)('POST', '', body, ACCEPT);
    expect(text).toContain('-32601');
    await makeMistakes(await connectHttp(mcp));
  });
});

describe('web pages', () => {
  const request = { jsonrpc: '2.0', id: 1, method: 'ping' };

  it.each(['https://evil.example', 'null', 'http://127.0.0.1.evil.example', 'nonsense'])(
    'of %s are refused',
    async (origin) => {
      const { mcp } = await served();
      const { status, json } = await caller(mcp)('POST', '', request, { ...ACCEPT, origin });
      expect(status).toBe(403);
      expect(json.error.data.code).toBe('FORBIDDEN');
    },
  );

  it('that take a name of their own for this machine are refused', async () => {
    const { mcp } = await served();
    const rebound = httpRequest(mcp, { method: 'POST', headers: { ...ACCEPT, host: 'evil.example' } }).end();
    const [answer] = (await once(rebound, 'response')) as [IncomingMessage];
    answer.resume();
    expect(answer.statusCode).toBe(403);
  });

  it.each(['http://localhost:6274', 'http://127.0.0.1:3000', 'http://[::1]:1'])('of %s are served', async (origin) => {
    const { mcp } = await served();
    expect((await caller(mcp)('POST', '', request, { ...ACCEPT, origin })).status).toBe(200);
  });
});
