/** For whom a request with a credential acts: nobody but its own user, unless it is a delegate's. */

import { generateText, wrapLanguageModel } from 'ai';
import { beforeAll, describe, expect, it } from 'vitest';
import { memoryMiddleware } from '../src/ai-sdk/index.ts';
import { LaminaClient } from '../src/client/index.ts';
import { LaminaStore } from '../src/langgraph/index.ts';
import { failure } from '../src/testing/contract-assertions.ts';
import {
  adminToken,
  OTHER_TENANT,
  startIdentityService,
  TENANT,
  token,
  type IdentityService,
} from './identity-service.ts';
import { connectHttp, output } from './mcp-caller.ts';
import { untilTestEnds } from './running-lamina.ts';
import { scriptedModel, sentTo } from './scripted-model.ts';
import { Listener } from './server-sent-events.ts';

const ENTRIES = '/v1/memory/entries';
const LIST = `${ENTRIES}?layer=user`;
const WHO = '/v1/memory/principal';
const ADMIN = '/v1/memory/admin';

type Claims = Readonly<Record<string, unknown>>;
type Credential = (service: IdentityService, claims?: Claims) => Promise<string>;

const asToken: Credential = (_service, claims = {}) => token(claims);

const asKey: Credential = async ({ call }, { tenant_id = TENANT, ...claims } = {}) => {
  const body = { name: 'x', user_id: 'alice', ...claims };
  const { status, json } = await call('POST', `${ADMIN}/keys`, await adminToken({ tenant_id }), { body });
  expect(status).toBe(201);
  return json.key;
};

const KINDS = [
  ['token', asToken],
  ['API key', asKey],
] as const;

const DELEGATE = { user_id: 'backend', roles: ['delegate'] };

beforeAll(() => {
  globalThis.AI_SDK_LOG_WARNINGS = false;
});

function clientOf({ url }: IdentityService, credential: string): LaminaClient {
  return untilTestEnds(new LaminaClient({ url, token: credential, retry: { maxAttempts: 1 } }));
}

describe.each(KINDS)('the %s of a user', (kind, make) => {
  it('acts for no other tenant, user or agent', async () => {
    const service = await startIdentityService();
    const { call, lamina } = service;
    const credential = await make(service, { agent_id: 'helper' });
    const body = { content: 'My PIN is 4711', layer: 'user' };
    for (const [part, header, named, own] of [
      ['tenant', 'X-Tenant-ID', OTHER_TENANT, TENANT],
      ['tenant', 'X-Tenant-ID', 'nonsense', TENANT],
      ['user', 'X-User-ID', 'bob', 'alice'],
      ['user', 'X-User-ID', 'Alice', 'alice'],
      ['agent', 'X-Agent-ID', 'other', 'helper'],
    ] as const) {
      const { status, json } = await call('POST', ENTRIES, credential, { body, headers: { [header]: named } });
      expect([status, json.code], header).toEqual([403, 'FORBIDDEN']);
      expect(json.message).toContain(`The ${kind} is of ${part} "${own}", and acts for no other: ${header} names`);
    }
    expect((await lamina.as({ tenantId: TENANT, userId: 'alice' }).list({ layer: 'user' })).totalCount).toBe(0);
  });

  it('may say again who it is, and is told of a header that is empty', async () => {
    const service = await startIdentityService();
    const credential = await make(service, { user_id: 'José', agent_id: 'helper' });
    const headers = { 'X-Tenant-ID': TENANT.toUpperCase(), 'X-User-ID': 'Jos%C3%A9', 'X-Agent-ID': 'helper' };
    const { json } = await service.call('GET', WHO, credential, { headers });
    expect(json).toEqual({ tenant_id: TENANT, user_id: 'José', agent_id: 'helper', roles: ['member'] });
    for (const name of ['X-Tenant-ID', 'X-User-ID', 'X-Agent-ID']) {
      const empty = await service.call('GET', WHO, credential, { headers: { [name]: '' } });
      expect([empty.status, empty.json.code], name).toEqual([400, 'VALIDATION_FAILED']);
    }
  });

  it('is never given roles by a header', async () => {
    const service = await startIdentityService();
    const headers = { 'X-Roles': 'admin,delegate' };
    const credential = await make(service);
    expect((await service.call('GET', WHO, credential, { headers })).json.roles).toEqual(['member']);
    expect((await service.call('GET', `${ADMIN}/keys`, credential, { headers })).status).toBe(403);
    const other = await service.call('GET', WHO, credential, { headers: { ...headers, 'X-User-ID': 'bob' } });
    expect(other.status).toBe(403);
  });

  it('can be kept to one of their agents, which may do less', async () => {
    const service = await startIdentityService();
    const { call } = service;
    const credential = await make(service);
    const headers = { 'X-Agent-ID': 'helper' };
    expect((await call('GET', WHO, credential, { headers })).json).toMatchObject({
      user_id: 'alice',
      agent_id: 'helper',
    });
    const at = (agent: string): object => ({
      content: `Of ${agent}`,
      layer: 'agent',
      identifiers: { user_id: 'alice', agent_id: agent },
    });
    expect((await call('POST', ENTRIES, credential, { body: at('other') })).status).toBe(201);
    expect((await call('POST', ENTRIES, credential, { body: at('other'), headers })).status).toBe(403);
    expect((await call('POST', ENTRIES, credential, { body: at('helper'), headers })).status).toBe(201);
    const reads = async (agent: string): Promise<number> =>
      (await call('GET', `${ENTRIES}?layer=agent&user_id=alice&agent_id=${agent}`, credential, { headers })).json
        .total_count;
    expect([await reads('other'), await reads('helper')]).toEqual([0, 1]);
  });

  it('lets no adapter act for others', async () => {
    const service = await startIdentityService();
    const client = clientOf(service, await make(service));
    await client.as().add({ content: 'Alice has a PIN: 4711', layer: 'user' });
    const model = wrapLanguageModel({
      model: scriptedModel('Hello'),
      middleware: memoryMiddleware(client, { agentId: 'helper' }),
    });
    const asked = generateText({
      model,
      prompt: 'What is my PIN?',
      maxRetries: 0,
      providerOptions: { lamina: { userId: 'bob' } },
    });
    await expect(asked).rejects.toMatchObject({ code: 'FORBIDDEN' });
    await expect(new LaminaStore(client.as({ userId: 'bob' })).get(['n'], 'k')).rejects.toThrow(/acts for no other/);
    await failure('FORBIDDEN', client.as({ userId: 'bob' }).list({ layer: 'user' }));
    await failure('FORBIDDEN', client.as({ tenantId: OTHER_TENANT, userId: 'alice' }).list({ layer: 'user' }));
  });

  it('is refused over MCP and for streams likewise', async () => {
    const service = await startIdentityService();
    const authorization = `Bearer ${await make(service)}`;
    const headers = { authorization, 'X-User-ID': 'bob' };
    await expect(connectHttp(`${service.url}/mcp`, headers)).rejects.toThrow(/acts for no other/);
    const listener = new Listener(`${service.url}/v1/memory/events`, { ...headers, Connection: 'close' });
    await expect.poll(() => listener.isOver).toBe(true);
    expect(listener.text).toContain('HTTP/1.1 403');
  });
});

describe.each(KINDS)('the %s of a delegate', (_kind, make) => {
  it('keeps the users for whom it acts apart', async () => {
    const service = await startIdentityService();
    const client = clientOf(service, await make(service, DELEGATE));
    const scripted = scriptedModel('Noted.', 'I do not know.', 'It is 4711.');
    const model = wrapLanguageModel({
      model: scripted,
      middleware: memoryMiddleware(client, { agentId: 'helper' }),
    });
    const say = async (userId: string, prompt: string, sessionId: string): Promise<string> => {
      const { warnings } = await generateText({
        model,
        prompt,
        maxRetries: 0,
        providerOptions: { lamina: { userId, sessionId } },
      });
      expect(warnings ?? []).toEqual([]);
      return sentTo(scripted, scripted.doGenerateCalls.length - 1);
    };
    await say('ada', 'My bank PIN is 4711 and I live in Bergen', 'a1');
    expect(await say('ben', 'What is my bank PIN?', 'b1')).not.toContain('4711');
    expect(await say('ada', 'What is my bank PIN?', 'a2')).toContain('4711');
    const store = (userId: string): LaminaStore => new LaminaStore(client.as({ userId }));
    await store('ada').put(['n'], 'k', { text: 'ada' });
    expect([await store('ben').get(['n'], 'k'), (await store('ada').get(['n'], 'k'))?.value]).toEqual([
      null,
      { text: 'ada' },
    ]);
    await failure('FORBIDDEN', client.as({ tenantId: OTHER_TENANT, userId: 'ada' }).list({ layer: 'user' }));
    expect((await client.as().list({ layer: 'user' })).totalCount).toBe(0);
  });

  it('is asked at once for many, and mixes none of them up', async () => {
    const service = await startIdentityService();
    const client = clientOf(service, await make(service, DELEGATE));
    const users = Array.from({ length: 20 }, (_, n) => `user ${n}`);
    await Promise.all(users.map((userId) => client.as({ userId }).add({ content: `Of ${userId}`, layer: 'user' })));
    const lists = await Promise.all(users.map((userId) => client.as({ userId }).list({ layer: 'user' })));
    expect(lists.map(({ memories }) => memories.map(({ content }) => content))).toEqual(
      users.map((userId) => [`Of ${userId}`]),
    );
  });

  it('makes a member of whom it names, and of itself by name', async () => {
    const service = await startIdentityService();
    const { call } = service;
    const credential = await make(service, { ...DELEGATE, roles: ['admin', 'delegate'] });
    const who = async (headers: Record<string, string> = {}): Promise<unknown> =>
      (await call('GET', WHO, credential, { headers })).json;
    expect(await who()).toEqual({ tenant_id: TENANT, user_id: 'backend', roles: ['admin', 'delegate'] });
    for (const name of ['ada', 'backend']) {
      const headers = { 'X-User-ID': name, 'X-Agent-ID': 'helper', 'X-Roles': 'admin' };
      expect(await who(headers)).toEqual({
        tenant_id: TENANT,
        user_id: name,
        agent_id: 'helper',
        roles: ['member'],
      });
      expect((await call('GET', `${ADMIN}/keys`, credential, { headers })).status).toBe(403);
    }
    expect((await call('GET', `${ADMIN}/keys`, credential)).status).toBe(200);
  });

  it('names nobody who cannot be', async () => {
    const service = await startIdentityService();
    const credential = await make(service, { ...DELEGATE, agent_id: 'helper' });
    for (const headers of [{ 'X-User-ID': '' }, { 'X-User-ID': 'x'.repeat(101) }, { 'X-User-ID': 'a%00b' }]) {
      const { status, json } = await service.call('GET', LIST, credential, { headers });
      expect([status, json.code], JSON.stringify(headers)).toEqual([400, 'VALIDATION_FAILED']);
    }
    const headers = { 'X-User-ID': 'ada', 'X-Agent-ID': 'other' };
    expect((await service.call('GET', LIST, credential, { headers })).status).toBe(403);
    const own = await service.call('GET', WHO, credential, { headers: { 'X-User-ID': 'ada' } });
    expect(own.json).toMatchObject({ user_id: 'ada', agent_id: 'helper' });
  });

  it('acts for users over MCP', async () => {
    const service = await startIdentityService();
    const authorization = `Bearer ${await make(service, DELEGATE)}`;
    const as = (user: string): ReturnType<typeof connectHttp> =>
      connectHttp(`${service.url}/mcp`, { authorization, 'X-User-ID': user });
    const [ada, ben] = [await as('ada'), await as('ben')];
    await output(ada, 'memory_save_fact', { content: 'Ada keeps bees.' });
    expect((await output(ada, 'memory_recall', { query: 'bees' })).memories).toHaveLength(1);
    expect((await output(ben, 'memory_recall', { query: 'bees' })).memories).toEqual([]);
  });

  it('is in the audit log beside whom it acted for, by a pseudonym', async () => {
    const service = await startIdentityService();
    const credential = await make(service, DELEGATE);
    await service.call('GET', `${ADMIN}/keys`, await token({ user_id: 'ada' }));
    await service.call('GET', `${ADMIN}/keys`, credential, { headers: { 'X-User-ID': 'ada' } });
    const { json } = await service.call('GET', `${ADMIN}/audit`, await adminToken());
    const refused = json.entries.filter(({ action }: { action: string }) => action === 'refused');
    expect(refused).toMatchObject([
      { actor: 'ada', about: { operation: 'keys.list', by: expect.stringMatching(/^sha256:[0-9a-f]{64}$/) } },
      { actor: 'ada', about: { operation: 'keys.list' } },
    ]);
    expect(refused[1].about.by).toBeUndefined();
  });
});

it('is an administrator who makes the key of a delegate, and nobody else', async () => {
  const service = await startIdentityService();
  const body = { name: 'x', ...DELEGATE };
  for (const roles of [['member'], ['delegate']]) {
    const refused = await service.call('POST', `${ADMIN}/keys`, await token({ roles }), { body });
    expect(refused.status).toBe(403);
  }
});

describe('the limit on rates', () => {
  const limits = { principalRate: 3, addressRate: 0, failureRate: 0 };
  const ask = async ({ call }: IdentityService, credential: string, headers: Record<string, string>): Promise<number> =>
    (await call('GET', LIST, credential, { headers })).status;

  it('counts whom a delegate acts for, each for themselves', async () => {
    const service = await startIdentityService({ limits });
    const credential = await token(DELEGATE);
    const asked: number[] = [];
    for (let n = 0; n < 4; n += 1) asked.push(await ask(service, credential, { 'X-User-ID': 'ada' }));
    expect(asked).toEqual([200, 200, 200, 429]);
    expect(await ask(service, credential, { 'X-User-ID': 'ben' })).toBe(200);
  });

  it('is not escaped by making up agents', async () => {
    const service = await startIdentityService({ limits });
    const credential = await token();
    const asked: number[] = [];
    for (let n = 0; n < 4; n += 1) asked.push(await ask(service, credential, { 'X-Agent-ID': `agent ${n}` }));
    expect(asked).toEqual([200, 200, 200, 429]);
  });
});
